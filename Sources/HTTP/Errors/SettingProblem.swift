/// The texts of errors for settings with a number that is too low.
package enum SettingProblem {
    /// Returns the problem of a number, and what to set; nil if it is valid.
    ///
    /// - Parameter isLimit: A Boolean value that indicates whether nil is no limit.
    package static func low(_ name: String, _ value: Int?, least: Int = 1, isLimit: Bool = false) -> String? {
        guard let value, value < least else { return nil }
        let advice = least == 0 ? "zero or more" : "at least one"
        return "\(name) is \(value): set \(advice)" + (isLimit ? ", or nil for no limit" : "")
    }

    /// Returns the problem of a duration below zero; nil if it is valid.
    package static func low(_ name: String, _ value: Duration) -> String? {
        value < .zero ? "\(name) is \(value.text): set zero or more" : nil
    }
}
