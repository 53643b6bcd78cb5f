import TangoRequest

/// A progress as a line of text, such as `[████░░░░]  50 %  512 B of 1.0 kB`.
struct ProgressBar {
    var width = 32

    /// Returns the line for a download; only the number of bytes if the total is unknown.
    func line(for progress: CallProgress) -> String {
        guard let fraction = progress.fraction, let total = progress.receivedTotal else {
            return Self.size(progress.received)
        }
        // Rounded down, so that the bar is full only at the end.
        let filled = Int(fraction * Double(width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        return "[\(bar)] \(Int(fraction * 100)) %  \(Self.size(progress.received)) of \(Self.size(total))"
    }

    /// Returns a number of bytes in a few characters: `999 B`, `1.0 kB`, `12.3 MB`.
    private static func size(_ bytes: Int) -> String {
        var tenths = bytes * 10
        var units = ["B", "kB", "MB", "GB"][...]
        while tenths >= 10_000, units.count > 1 {
            tenths /= 1000
            units.removeFirst()
        }
        return "\(tenths / 10)\(units.first == "B" ? "" : ".\(tenths % 10)") \(units.first ?? "")"
    }
}
