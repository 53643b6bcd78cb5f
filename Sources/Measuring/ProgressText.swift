/// A progress as a line of text, such as `[████░░░░]  50 %  512 B of 1.0 kB  256 B/s  2 s left`.
struct ProgressText {
    var width = 32

    /// Returns the line. Parts that are unknown are left out.
    func line(for progress: CallProgress, _ rate: TransferRate = TransferRate()) -> String {
        let (done, total, _) = progress.current
        var parts: [String] = []
        if let fraction = progress.fraction, let total {
            // Rounded down, so that the bar is full only at the end.
            let filled = Int(fraction * Double(width))
            let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
            let percent = "\(Int(fraction * 100))"
            parts.append("[\(bar)] \(String(repeating: " ", count: 3 - percent.utf8.count))\(percent) %")
            parts.append("\(Self.size(done)) of \(Self.size(total))")
        } else {
            parts.append(Self.size(done))
        }
        if let rate = rate.bytesPerSecond { parts.append("\(Self.size(Int(rate)))/s") }
        if let left = rate.timeLeft, left > .zero { parts.append("\(Self.time(left)) left") }
        return parts.joined(separator: "  ")
    }

    /// Returns a number of bytes in a few characters: `999 B`, `1.0 kB`, `12.3 MB`.
    static func size(_ bytes: Int) -> String {
        var tenths = min(bytes, .max / 10) * 10
        var units = ["B", "kB", "MB", "GB", "TB"][...]
        while tenths >= 10_000, units.count > 1 {
            tenths /= 1000
            units.removeFirst()
        }
        return "\(tenths / 10)\(units.first == "B" ? "" : ".\(tenths % 10)") \(units.first ?? "")"
    }

    /// Returns a time in a few characters: `1 s`, `12 min 5 s`, `3 h 20 min`. It is never `0 s`.
    static func time(_ time: Duration) -> String {
        let seconds = max(1, Int(time.components.seconds) + (time.components.attoseconds > 0 ? 1 : 0))
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3600: return "\(seconds / 60) min \(seconds % 60) s"
        default: return "\(seconds / 3600) h \(seconds / 60 % 60) min"
        }
    }
}
