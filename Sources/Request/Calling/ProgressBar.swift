/// A progress as a line of text, for a terminal.
///
/// ```swift
/// let bar = ProgressBar(width: 10)
/// let line = bar.line(for: CallProgress(received: 512, receivedTotal: 1024))
/// #expect(line == "[#####.....]  50 %  512 B of 1.0 kB")
/// ```
///
/// Print it with `"\r"` before it and no line break behind it. Where the total is not known, there is no bar.
public struct ProgressBar: Hashable, Sendable {
    /// How many characters the bar has between its brackets; none if it is negative.
    public var width: Int
    /// What stands for the part that is done.
    public var done: Character
    /// What stands for the rest.
    public var left: Character

    /// A bar of so many characters, none if the width is negative.
    public init(width: Int = 30, done: Character = "#", left: Character = ".") {
        self.width = max(width, 0)
        self.done = done
        self.left = left
    }

    /// The line for a progress: of whichever direction is under way.
    public func line(for progress: CallProgress) -> String {
        let isReceiving = progress.received > 0 || progress.receivedTotal != nil
        let bytes = isReceiving ? progress.received : progress.sent
        guard let fraction = progress.fraction,
            let total = isReceiving ? progress.receivedTotal : progress.sentTotal
        else { return Self.size(bytes) }
        // Down, so that only what is done looks done.
        let width = max(width, 0)
        let filled = Int(fraction * Double(width))
        let percent = "\(Int(fraction * 100))"
        let bar = String(repeating: done, count: filled) + String(repeating: left, count: width - filled)
        let padding = String(repeating: " ", count: max(3 - percent.count, 0))
        return "[\(bar)] \(padding)\(percent) %  \(Self.size(bytes)) of \(Self.size(total))"
    }

    /// A number of bytes in a few characters: `999 B`, `1.0 kB`, `12.3 MB`.
    private static func size(_ bytes: Int) -> String {
        guard bytes >= 1000 else { return "\(bytes) B" }
        var tenths = bytes / 100
        var unit = 0
        let units = ["kB", "MB", "GB", "TB", "PB", "EB"]
        while tenths >= 10_000, unit < units.count - 1 {
            tenths /= 1000
            unit += 1
        }
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}
