/// Dates in the format of RFC 3339, the profile of ISO 8601 for the internet: `2025-01-31T12:00:00.500Z`.
///
/// Foundation's style is not used: it rounds towards zero, and does not use the Gregorian calendar before 1582.
package enum ISO8601 {
    /// Returns the milliseconds since 1970; nil outside the years 1 to 9999, because the format cannot represent them.
    package static func milliseconds(of date: Date) -> Int64? {
        let time = date.timeIntervalSince1970
        guard (-62_135_596_800..<253_402_300_799.9995).contains(time) else { return nil }
        return Int64((time * 1000).rounded())
    }

    /// Returns a date in UTC, with milliseconds if there are any.
    package static func text(milliseconds: Int64) -> String {
        func padded(_ number: Int64, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let (day, time) = milliseconds.flooredDivision(by: 86_400_000)
        // The days are counted from 1 March of the year 0, in eras of 400 years. A leap day is then the last day of a
        // year.
        let (era, dayOfEra) = (day + 719_468).flooredDivision(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let march = (5 * dayOfYear + 2) / 153
        let month = march < 10 ? march + 3 : march - 9
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        let dayOfMonth = dayOfYear - (153 * march + 2) / 5 + 1
        let fraction = time % 1000 == 0 ? "" : "." + padded(time % 1000, 3)
        let clock = [time / 3_600_000, time / 60_000 % 60, time / 1000 % 60].map { padded($0, 2) }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))T"
            + "\(clock.joined(separator: ":"))\(fraction)Z"
    }

    /// Parses a date with or without a fraction of a second, in UTC or with an offset.
    static func date(_ text: String) -> Date? {
        var scanner = Scanner(rest: Substring(text).utf8)
        guard let year = scanner.number(4), scanner.take("-"), let month = scanner.number(2), scanner.take("-"),
            let day = scanner.number(2), scanner.take("T") || scanner.take("t") || scanner.take(" "),
            let hour = scanner.number(2), scanner.take(":"), let minute = scanner.number(2), scanner.take(":"),
            let second = scanner.number(2), let fraction = scanner.fraction(), let offset = scanner.offset(),
            scanner.rest.isEmpty
        else { return nil }
        // A leap second becomes the first second of the next minute.
        guard (1...12).contains(month), (1...days(in: month, of: year)).contains(day), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        let seconds = days(since1970To: year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
        return Date(timeIntervalSince1970: Double(seconds) + fraction)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    private static func days(since1970To year: Int, _ month: Int, _ day: Int) -> Int {
        // Years begin in March, so a leap day is the last day of a year. They are counted from 400 years before the
        // year 0.
        let year = year + (month <= 2 ? 399 : 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468 - 146_097
    }

    private struct Scanner {
        var rest: Substring.UTF8View

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        mutating func number(_ count: Int) -> Int? {
            let digits = rest.prefix(count)
            guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            rest = rest.dropFirst(count)
            return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }

        /// Reads the fraction of a second, which is 0 if there is none.
        mutating func fraction() -> Double? {
            guard take(".") || take(",") else { return 0 }
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            rest = rest.dropFirst(digits.count)
            return digits.isEmpty ? nil : Double("0." + String(Substring(digits.prefix(18))))
        }

        /// Reads the offset from UTC in seconds.
        mutating func offset() -> Int? {
            if take("Z") || take("z") { return 0 }
            let isAhead = take("+")
            guard isAhead || take("-"), let hours = number(2), hours < 24 else { return nil }
            let hasMinutes = take(":") || !rest.isEmpty
            guard let minutes = hasMinutes ? number(2) : 0, minutes < 60 else { return nil }
            return (hours * 3600 + minutes * 60) * (isAhead ? 1 : -1)
        }
    }
}

extension Int64 {
    /// Returns the quotient, rounded down, and the remainder, which is never negative.
    fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
