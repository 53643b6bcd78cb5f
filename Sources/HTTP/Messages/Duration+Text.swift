extension Duration {
    /// The duration in milliseconds or seconds, with three digits, such as `12.5 ms`.
    package var text: String {
        if self < .zero { return "-\((.zero - self).text)" }
        let microseconds = self / .microseconds(1)
        let (value, unit) = microseconds < 999_950 ? (microseconds / 1_000, "ms") : (microseconds / 1_000_000, "s")
        // Three digits are enough to compare attempts.
        let digits = value < 10 ? 100.0 : value < 100 ? 10 : 1
        let rounded = (value * digits).rounded() / digits
        return Int(exactly: rounded).map { "\($0) \(unit)" } ?? "\(rounded) \(unit)"
    }
}
