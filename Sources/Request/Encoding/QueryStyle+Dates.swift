#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension QueryStyle.Dates {
    /// A moment as text, nil if it is outside the years 1 to 9999, which are those that ISO 8601 can write.
    func text(_ date: Date) -> String? {
        if case .custom(let text) = self { return text(date) }
        let time = date.timeIntervalSince1970
        guard (-62_135_596_800..<253_402_300_799.9995).contains(time) else { return nil }
        let milliseconds = Int64((time * 1000).rounded())
        switch self {
        case .milliseconds:
            return String(milliseconds)
        case .seconds:
            return milliseconds % 1000 == 0 ? String(milliseconds / 1000) : String(Double(milliseconds) / 1000)
        case .iso8601, .custom:
            return Self.iso8601(milliseconds)
        }
    }

    /// A moment in the Gregorian calendar and UTC. Foundation's style rounds towards zero and leaves that calendar in
    /// the years before 1582.
    private static func iso8601(_ milliseconds: Int64) -> String {
        func padded(_ number: Int64, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let (day, time) = milliseconds.flooredDivision(by: 86_400_000)
        // Days since 1 March of the year 0, in eras of 400 years, so that a leap day is the last day of a year.
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
}

extension Int64 {
    /// The quotient rounded down, and the remainder, which is never negative.
    fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
