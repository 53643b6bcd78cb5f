/// A number of seconds, as `max-age` and `Age` have it (RFC 9111, 1.2.2).
enum DeltaSeconds {
    /// What a number that is too large stands for.
    static let most = 1 << 31

    /// The number; nil for anything but digits. One that is too large is ``most``.
    static func parse(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty else { return nil }
        var value = 0
        for byte in text.utf8 {
            guard let digit = byte.decimalDigit else { return nil }
            value = min(value * 10 + digit, most)
        }
        return value
    }

    /// What an `Age` field says (RFC 9111, 5.1): the first of several counts, and what is no number does not.
    static func age(in headers: Headers) -> Int? {
        guard let value = headers["Age"], let first = FieldList.elements(of: value).first else { return nil }
        return parse(first)
    }
}
