/// The components of a date in a header.
struct DateParts {
    var year = 0
    /// A Boolean value that indicates whether the year has two digits.
    var hasShortYear = false
    var month = 0
    var day = 0
    var hour = 0
    var minute = 0
    var second = 0

    /// Parses a date in exactly the form `Sun, 06 Nov 1994 08:49:37 GMT`, which nearly all dates have.
    init?(usual text: String) {
        var copy = text
        let isRead = copy.withUTF8 { bytes -> Bool in
            guard bytes.count == 29, bytes[3] == UInt8(ascii: ","), bytes[4] == 0x20, bytes[7] == 0x20,
                bytes[11] == 0x20, bytes[16] == 0x20, bytes[19] == UInt8(ascii: ":"), bytes[22] == UInt8(ascii: ":"),
                bytes[25] == 0x20, bytes[26] == UInt8(ascii: "G"), bytes[27] == UInt8(ascii: "M"),
                bytes[28] == UInt8(ascii: "T"), Self.place(bytes, 0, in: HTTPDate.weekdays) != nil,
                let month = Self.place(bytes, 8, in: HTTPDate.months), let day = Self.number(bytes, 5),
                let century = Self.number(bytes, 12), let rest = Self.number(bytes, 14),
                let hour = Self.number(bytes, 17), let minute = Self.number(bytes, 20),
                let second = Self.number(bytes, 23)
            else { return false }
            year = century * 100 + rest
            self.month = month + 1
            (self.day, self.hour, self.minute, self.second) = (day, hour, minute, second)
            return true
        }
        guard isRead else { return nil }
    }

    private static func number(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> Int? {
        guard let tens = bytes[place].decimalDigit, let ones = bytes[place + 1].decimalDigit else { return nil }
        return tens * 10 + ones
    }

    /// Returns the index of the three-letter name at an offset, or nil.
    private static func place(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, in names: [String]) -> Int? {
        names.firstIndex { $0.utf8.elementsEqual(bytes[start..<(start + 3)]) }
    }

    /// Parses a date in one of the three formats of ``HTTPDate/parse(_:now:)``.
    init?(_ text: Substring) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        let isRead =
            switch words.count {
            case 6 where words[2].isEmpty: readUnix(words[0], words[1], words[3], words[4], words[5])
            case 6: readUsual(words)
            case 5: readUnix(words[0], words[1], words[2], words[3], words[4])
            case 4: readOld(words)
            default: false
            }
        guard isRead else { return nil }
    }

    /// Parses `Sun, 06 Nov 1994 08:49:37 GMT`.
    private mutating func readUsual(_ words: [Substring]) -> Bool {
        Self.isWeekday(words[0], with: ",") && words[1].utf8.count == 2 && words[3].utf8.count == 4
            && Self.isGMT(words[5]) && readTime(words[4]) && readDay(words[1], words[2], words[3])
    }

    /// Parses `Sun Nov  6 08:49:37 1994`.
    private mutating func readUnix(
        _ weekday: Substring, _ month: Substring, _ day: Substring, _ time: Substring, _ year: Substring
    ) -> Bool {
        Self.isWeekday(weekday, with: "") && year.utf8.count == 4 && readTime(time) && readDay(day, month, year)
    }

    /// Parses `Sunday, 06-Nov-94 08:49:37 GMT`.
    private mutating func readOld(_ words: [Substring]) -> Bool {
        let date = words[1].split(separator: "-", omittingEmptySubsequences: false)
        return Self.isLongWeekday(words[0]) && date.count == 3 && date[0].utf8.count == 2 && date[2].utf8.count == 2
            && Self.isGMT(words[3]) && readTime(words[2]) && readDay(date[0], date[1], date[2])
    }

    /// Parses any text that has a day, the name of a month, a year and a time.
    init?(lenient text: Substring) {
        let words = text.split { $0 == " " || $0 == "," || $0 == "-" || $0 == "\t" }
        guard let place = words.firstIndex(where: { Self.month($0) != nil }) else { return nil }
        let clock = words.firstIndex { $0.utf8.contains(UInt8(ascii: ":")) }
        let numbers = words.indices.filter { $0 != clock && words[$0].utf8.allSatisfy { $0.decimalDigit != nil } }
        guard let clock, numbers.count >= 2, readLenientTime(words[clock]) else { return nil }
        guard readDay(words[numbers[0]], words[place], words[numbers[1]]) else { return nil }
        let rest = words.indices.filter { $0 != clock && $0 != place && !numbers.prefix(2).contains($0) }
        for index in rest where !Self.isUTC(words[index]) && !(index < place && Self.weekday(words[index])) {
            return nil
        }
    }

    private mutating func readDay(_ day: Substring, _ month: Substring, _ year: Substring) -> Bool {
        guard day.utf8.count <= 2, [2, 4].contains(year.utf8.count) else { return false }
        guard let day = ContentRange.place(day), let month = Self.month(month), let number = ContentRange.place(year)
        else { return false }
        self.day = day
        self.month = month
        self.year = number
        hasShortYear = year.utf8.count == 2
        return true
    }

    private mutating func readTime(_ text: Substring) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 3 && parts.allSatisfy { $0.utf8.count == 2 } && readLenientTime(text)
    }

    private mutating func readLenientTime(_ text: Substring) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.utf8.count <= 2 ? ContentRange.place($0) : nil }
        guard numbers.count == parts.count, (2...3).contains(numbers.count) else { return false }
        hour = numbers[0]
        minute = numbers[1]
        second = numbers.count == 3 ? numbers[2] : 0
        return true
    }

    private static func month(_ text: Substring) -> Int? {
        guard text.utf8.count == 3 else { return nil }
        return HTTPDate.months.firstIndex { $0.isSameField(as: String(text)) }.map { $0 + 1 }
    }

    private static func weekday(_ text: Substring) -> Bool {
        HTTPDate.weekdays.contains { $0.isSameField(as: String(text.prefix(3))) }
    }

    private static func isWeekday(_ text: Substring, with end: String) -> Bool {
        HTTPDate.weekdays.contains { ($0 + end).isSameField(as: String(text)) }
    }

    private static let longWeekdays = [
        "Sunday,", "Monday,", "Tuesday,", "Wednesday,", "Thursday,", "Friday,", "Saturday,",
    ]

    private static func isLongWeekday(_ text: Substring) -> Bool {
        longWeekdays.contains { $0.isSameField(as: String(text)) }
    }

    private static func isGMT(_ text: Substring) -> Bool {
        "GMT".isSameField(as: String(text))
    }

    /// Returns whether a word names UTC, the zone of all dates of HTTP.
    private static func isUTC(_ text: Substring) -> Bool {
        ["GMT", "UTC", "UT", "Z", "+0000", "0000"].contains { $0.isSameField(as: String(text)) }
    }
}
