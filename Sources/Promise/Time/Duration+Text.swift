extension Duration {
    /// The duration in milliseconds or seconds, with three digits, such as `12.5 ms`.
    package var text: String {
        let microseconds = abs(self / .microseconds(1))
        let (value, unit) = microseconds < 999_500 ? (microseconds / 1_000, "ms") : (microseconds / 1_000_000, "s")
        // Three digits are enough to compare attempts.
        let digits =
            switch value {
            case ..<0.1: 10_000.0
            case ..<10: 100.0
            case ..<100: 10.0
            default: 1.0
            }
        let rounded = (value * digits).rounded() / digits
        let sign = self < .zero && rounded > 0 ? "-" : ""
        return Int(exactly: rounded).map { "\(sign)\($0) \(unit)" } ?? "\(sign)\(rounded) \(unit)"
    }
}
