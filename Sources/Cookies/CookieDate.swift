/// The dates of the attribute `Expires` (RFC 6265bis, 5.1.1). Servers write them in many forms, so the order of the parts
/// and the characters between them are free.
enum CookieDate {
    /// Returns the date of a text; nil if a part is missing or impossible.
    static func parse(_ text: some Collection<UInt8>) -> Date? {
        var time: (hour: Int, minute: Int, second: Int)?
        var day: Int?
        var month: Int?
        var year: Int?
        for token in text.split(whereSeparator: \.isDateDelimiter) {
            let bytes = Array(token)
            if time == nil, let found = self.time(bytes) {
                time = found
            } else if day == nil, let found = number(bytes, digits: 1...2) {
                day = found
            } else if month == nil, let found = self.month(bytes) {
                month = found
            } else if year == nil, let found = number(bytes, digits: 2...4) {
                year = found
            }
        }
        guard let time, let day, let month, var year else { return nil }
        if (70...99).contains(year) { year += 1900 } else if (0...69).contains(year) { year += 2000 }
        guard year >= 1601, time.hour <= 23, time.minute <= 59, time.second <= 59,
            let days = HTTPDate.days(year, month, existing: day)
        else { return nil }
        let seconds = days * 86_400 + time.hour * 3600 + time.minute * 60 + time.second
        return Date(timeIntervalSince1970: Double(seconds))
    }

    /// Returns the number at the beginning of a token; nil if it has fewer or more digits.
    private static func number(_ bytes: some Collection<UInt8>, digits: ClosedRange<Int>) -> Int? {
        let start = bytes.prefix(while: \.isDigit)
        guard digits.contains(start.count) else { return nil }
        return start.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func time(_ bytes: [UInt8]) -> (Int, Int, Int)? {
        let parts = bytes.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].allSatisfy(\.isDigit), parts[1].allSatisfy(\.isDigit),
            let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 1...2),
            let second = number(parts[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    private static func month(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 3 else { return nil }
        let start = bytes.prefix(3).map(\.lowercasedASCII)
        return HTTPDate.months.firstIndex { $0.utf8.lazy.map(\.lowercasedASCII).elementsEqual(start) }.map { $0 + 1 }
    }
}

extension UInt8 {
    fileprivate var isDateDelimiter: Bool {
        switch self {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }
}
