/// The format of the seconds in `max-age` and `Age` (RFC 9111, 1.2.2).
enum DeltaSeconds {
    /// The highest number. It stands for larger numbers too.
    static let most = 1 << 31

    /// Parses a number. Returns nil if the text has anything but digits, and ``most`` for larger numbers.
    static func parse(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty else { return nil }
        var value = 0
        for byte in text.utf8 {
            guard let digit = byte.decimalDigit else { return nil }
            value = min(value * 10 + digit, most)
        }
        return value
    }

    /// Returns the smaller one of two numbers of seconds. Nil stands for none.
    static func less(_ one: Int?, _ other: Int?) -> Int? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }

    /// Returns the first value of the `Age` field (RFC 9111, 5.1), or nil if it is not a number.
    static func age(in headers: Headers) -> Int? {
        guard let value = headers["Age"], let first = FieldList.elements(of: value).first else { return nil }
        return parse(first)
    }
}
