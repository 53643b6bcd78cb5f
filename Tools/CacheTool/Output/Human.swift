#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Numbers and times in readable form.
enum Human {
    /// Returns bytes in the largest unit with at least one digit before the point: `1.2 kB`.
    static func size(_ bytes: Int) -> String {
        guard bytes >= 1000 else { return "\(bytes) B" }
        var value = Double(bytes) / 1000
        var units = ["kB", "MB", "GB", "TB", "PB", "EB"][...]
        while value >= 999.5, units.count > 1 {
            value /= 1000
            units.removeFirst()
        }
        let unit = units.first ?? ""
        let tenths = Int((value * 10).rounded())
        return tenths < 1000 ? "\(tenths / 10).\(tenths % 10) \(unit)" : "\(Int(value.rounded())) \(unit)"
    }

    /// Returns a count with the singular or plural of a noun.
    static func count(_ count: Int, _ one: String, _ many: String) -> String {
        "\(count) \(count == 1 ? one : many)"
    }

    static func entries(_ count: Int) -> String {
        self.count(count, "entry", "entries")
    }

    /// Returns the distance of a date from now: `3 min ago`, `in 2 h`.
    static func age(_ date: Date, at now: Date) -> String {
        let seconds = now.timeIntervalSince(date)
        if seconds.isNaN { return "at no time" }
        if abs(seconds) < 1 { return "now" }
        return seconds > 0 ? "\(span(seconds)) ago" : "in \(span(-seconds))"
    }

    private static func span(_ seconds: Double) -> String {
        let (unit, name): (Double, String) =
            switch seconds {
            case ..<90: (1, "s")
            case ..<5400: (60, "min")
            case ..<172_800: (3600, "h")
            case ..<63_072_000: (86_400, "d")
            default: (31_536_000, "y")
            }
        return "\(Int(min(seconds / unit, 1e6))) \(name)"
    }

    /// Returns a date and time in universal time, such as `2026-02-03T04:05:06Z`; nil for a date outside of calendars.
    static func date(_ date: Date) -> String? {
        let earliest = -62_135_596_800.0
        let latest = 253_402_300_799.0
        guard (earliest...latest).contains(date.timeIntervalSince1970) else { return nil }
        return date.formatted(.iso8601)
    }
}
