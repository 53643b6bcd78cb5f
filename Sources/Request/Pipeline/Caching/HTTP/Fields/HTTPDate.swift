/// The date formats of HTTP (RFC 9110, 5.6.7). Times are in seconds since 1970.
package enum HTTPDate {
    /// Parses a date in one of the three formats, ignoring case. Returns nil for any other text.
    ///
    /// ```text
    /// Sun, 06 Nov 1994 08:49:37 GMT
    /// Sunday, 06-Nov-94 08:49:37 GMT
    /// Sun Nov  6 08:49:37 1994
    /// ```
    ///
    /// A two-digit year that would be more than 50 years ahead belongs to the century before.
    package static func parse(_ text: String, now: Double) -> Double? {
        guard let parts = DateParts(usual: text) ?? DateParts(Substring(text).withoutBlanks) else { return nil }
        return seconds(parts, now: now)
    }

    /// Also parses dates that violate the formats: other blanks or hyphens, no weekday, one digit, UTC.
    static func parseLeniently(_ text: String, now: Double) -> Double? {
        if let seconds = parse(text, now: now) { return seconds }
        guard let parts = DateParts(lenient: Substring(text)) else { return nil }
        return seconds(parts, now: now)
    }

    /// Returns a date in the form `Sun, 06 Nov 1994 08:49:37 GMT`.
    package static func text(_ seconds: Double) -> String {
        let whole = Int(max(0, min(seconds.isFinite ? seconds : 0, 253_402_300_799)).rounded(.down))
        let days = whole / 86_400
        let time = whole % 86_400
        let date = civil(days)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let year = String(repeating: "0", count: max(0, 4 - String(date.year).count)) + String(date.year)
        return "\(weekdays[(days + 4) % 7]), \(two(date.day)) \(months[date.month - 1]) \(year) "
            + "\(two(time / 3600)):\(two(time / 60 % 60)):\(two(time % 60)) GMT"
    }

    static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    package static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func seconds(_ parts: DateParts, now: Double) -> Double? {
        var year = parts.year
        if parts.hasShortYear {
            let current = civil(Int((now / 86_400).rounded(.down))).year
            year += current / 100 * 100
            if year > current + 50 { year -= 100 }
        }
        guard parts.day >= 1, parts.day <= length(of: parts.month, year) else { return nil }
        // A leap second counts as the second before it.
        guard parts.hour < 24, parts.minute < 60, parts.second <= 60 else { return nil }
        let time = parts.hour * 3600 + parts.minute * 60 + min(parts.second, 59)
        return Double(days(year, parts.month, parts.day) * 86_400 + time)
    }

    /// Returns the days since 1970; nil if there is no such day.
    package static func days(_ year: Int, _ month: Int, existing day: Int) -> Int? {
        day >= 1 && day <= length(of: month, year) ? days(year, month, day) : nil
    }

    private static func length(of month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the days since 1970 in the proleptic Gregorian calendar. The calculation starts years in March.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let days = days + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}
