extension QueryStyle.Dates {
    /// Returns a date as text; nil outside the years 1 to 9999, because ISO 8601 cannot represent them.
    func text(_ date: Date) -> String? {
        if case .custom(let text) = self { return text(date) }
        guard let milliseconds = ISO8601.milliseconds(of: date) else { return nil }
        switch self {
        case .milliseconds:
            return String(milliseconds)
        case .seconds:
            return milliseconds % 1000 == 0 ? String(milliseconds / 1000) : String(Double(milliseconds) / 1000)
        case .iso8601, .custom:
            return ISO8601.text(milliseconds: milliseconds)
        }
    }
}
