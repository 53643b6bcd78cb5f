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

    /// The weekdays of each format of ``HTTPDate/parse(_:now:)``, by the shape of the text after them: `a` for a letter, `0` for a
    /// digit.
    private static let formats: [String: [String]] = {
        let days = HTTPDate.weekdays
        let long = ["Sunday,", "Monday,", "Tuesday,", "Wednesday,", "Thursday,", "Friday,", "Saturday,"]
        return [
            " 00 aaa 0000 00:00:00 aaa": days.map { $0 + "," }, " 00-aaa-00 00:00:00 aaa": long,
            " aaa 00 00:00:00 0000": days, " aaa 0 00:00:00 0000": days, " aaa  0 00:00:00 0000": days,
            " aaa  00 00:00:00 0000": days,
        ]
    }()

    /// Parses a date in one of the three formats.
    init?(_ text: Substring) {
        let weekday = String(text.prefix { $0 != " " })
        let shape = text.utf8.dropFirst(weekday.utf8.count).map { byte in
            byte.isLetter ? UInt8(ascii: "a") : byte.decimalDigit == nil ? byte : UInt8(ascii: "0")
        }
        guard let weekdays = Self.formats[String(decoding: shape, as: UTF8.self)],
            weekdays.contains(where: { $0.isSameField(as: weekday) }),
            shape.last == UInt8(ascii: "0") || "GMT".isSameField(as: String(text.suffix(3)))
        else { return nil }
        self.init(lenient: text)
    }

    /// Parses any text that has a day, the name of a month, a year and a time.
    init?(lenient text: Substring) {
        let words = text.split { $0 == " " || $0 == "," || $0 == "-" || $0 == "\t" }
        guard let place = words.firstIndex(where: { Self.month($0) != nil }) else { return nil }
        let clock = words.firstIndex { $0.utf8.contains(UInt8(ascii: ":")) }
        let numbers = words.indices.filter { $0 != clock && words[$0].utf8.allSatisfy { $0.decimalDigit != nil } }
        guard let clock, numbers.count >= 2, readTime(words[clock]) else { return nil }
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

    /// Returns whether a word names UTC, the zone of all dates of HTTP.
    private static func isUTC(_ text: Substring) -> Bool {
        ["GMT", "UTC", "UT", "Z", "+0000", "0000"].contains { $0.isSameField(as: String(text)) }
    }
}
