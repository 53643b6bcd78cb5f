/// The lines of several transfers, and the text that shows their changes.
struct ProgressBoard: Sendable {
    /// One transfer.
    struct Row: Sendable {
        let name: String
        var progress = CallProgress()
        var rate = TransferRate()
        /// The end of the transfer; nil while it runs.
        var end: FinishedState?
        /// The tenths of the whole for which a plain line was written.
        var tenths = -1
        var linedAt = Duration.zero

        init(_ name: String) {
            self.name = name
        }
    }

    private static let interval = Duration.milliseconds(100)
    private static let lineInterval = Duration.seconds(10)

    let style: ProgressBars.Style
    private(set) var rows: [Row] = []
    /// The number of lines that the terminal shows.
    private var shown = 0
    private var drawnAt: Duration?

    init(_ style: ProgressBars.Style) {
        self.style = style
    }

    /// Adds a transfer, and returns its number.
    mutating func add(_ name: String) -> Int {
        rows.append(Row(name.filter { !$0.isNewline && !($0.asciiValue.map { $0 < 32 || $0 == 127 } ?? false) }))
        return rows.count - 1
    }

    /// Takes a progress, and returns the text to write.
    mutating func update(_ number: Int, _ progress: CallProgress, at time: Duration) -> String {
        rows[number].progress = progress
        rows[number].rate.add(progress, at: time)
        switch style.kind {
        case .quiet: return ""
        case .bars:
            if let drawnAt, time - drawnAt < Self.interval { return "" }
            drawnAt = time
            return drawing
        case .lines:
            let tenths = progress.fraction.map { Int($0 * 10) } ?? rows[number].tenths
            guard tenths > rows[number].tenths && tenths > 0 || time - rows[number].linedAt >= Self.lineInterval else {
                return ""
            }
            rows[number].tenths = tenths
            rows[number].linedAt = time
            return line(rows[number]) + "\n"
        }
    }

    /// Takes the end of a transfer, and returns the text to write.
    mutating func end(_ number: Int, _ end: FinishedState) -> String {
        rows[number].end = end
        switch style.kind {
        case .quiet: return ""
        case .bars: return drawing
        case .lines:
            // A line for the last tenth says the same.
            let isShown = end == .success && rows[number].tenths == 10
            return isShown ? "" : line(rows[number]) + "\n"
        }
    }

    /// Moves to the first line, and writes all lines anew.
    private var drawing: String {
        mutating get {
            let up = shown > 0 ? "\u{1B}[\(shown)A" : ""
            shown = rows.count
            return up + rows.map { "\r\u{1B}[2K\(line($0))\n" }.joined()
        }
    }

    private func line(_ row: Row) -> String {
        let text = ProgressText(width: style.width)
        switch row.end {
        case nil: return "\(row.name)  \(text.line(for: row.progress, row.rate))"
        case .success: return "\(row.name)  \(text.line(for: row.progress))"
        case .failure: return "\(row.name)  failed after \(ProgressText.size(row.progress.current.done))"
        case .cancelled, .duplicate:
            return "\(row.name)  cancelled after \(ProgressText.size(row.progress.current.done))"
        }
    }
}
