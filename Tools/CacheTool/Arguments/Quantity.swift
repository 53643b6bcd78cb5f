/// A parser of sizes and times with a number and a unit.
enum Quantity {
    private static let sizes: [String: Double] = [
        "": 1, "b": 1, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9, "t": 1e12, "tb": 1e12,
        "ki": 1024, "kib": 1024, "mi": 1_048_576, "mib": 1_048_576, "gi": 1_073_741_824, "gib": 1_073_741_824,
    ]

    private static let times: [String: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]

    /// Returns a number of bytes, such as `500`, `10k`, `5MB` or `1.5GiB`.
    static func size(_ text: String, for option: String) throws -> Int {
        guard let bytes = value(text, units: sizes), bytes < 0x1p62 else {
            throw UsageError("\(option) takes a size such as 500, 10k, 5MB or 2GiB, not \"\(text)\".")
        }
        return Int(bytes)
    }

    /// Returns a number of seconds, such as `90s`, `10m`, `2h` or `7d`.
    static func time(_ text: String, for option: String) throws -> Double {
        guard let seconds = value(text, units: times), seconds < 1e11 else {
            throw UsageError("\(option) takes a time such as 90s, 10m, 2h or 7d, not \"\(text)\".")
        }
        return seconds
    }

    private static func value(_ text: String, units: [String: Double]) -> Double? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = text.dropFirst(digits.count).lowercased()
        guard let number = Double(digits), let factor = units[unit] else { return nil }
        return number * factor
    }
}
