/// The lines of several transfers, and the text that shows their changes.
struct ProgressBoard: Sendable {
    /// One transfer.
    struct Row: Sendable {
        var name: String
        var progress = CallProgress()
        var rate = TransferRate()
        /// The end of the transfer; nil while it runs.
        var end: FinishedState?
        /// The tenths of the whole for which a plain line was written.
        var tenths = -1
        var linedAt = Duration.zero
        /// A Boolean value that indicates whether the last line was written, which stays above the bars.
        var isDone = false

        init(_ name: String) {
            self.name = name
        }
    }

    private static let interval = Duration.milliseconds(100)
    private static let lineInterval = Duration.seconds(10)

    let style: ProgressBars.Style
    var size = TerminalSize()
    private(set) var rows: [Row] = []
    /// The number of lines that change in place.
    private var shown = 0
    private var drawnAt: Duration?

    init(_ style: ProgressBars.Style) {
        self.style = style
    }

    /// Adds a transfer, and returns its number.
    mutating func add(_ name: String) -> Int {
        let isControl = { (scalar: Unicode.Scalar) in scalar.properties.generalCategory == .control }
        rows.append(Row(name.filter { !$0.isNewline && !$0.unicodeScalars.contains(where: isControl) }))
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

    /// Moves to the first line that changes. Writes the last lines of transfers that have ended, and then the bars of the
    /// others, as many as fit.
    private var drawing: String {
        mutating get {
            let up = shown > 0 ? "\u{1B}[\(shown)A" : ""
            let ended = rows.indices.filter { rows[$0].end != nil && !rows[$0].isDone }
            // The cursor is in the line below.
            let running = rows.indices.filter { rows[$0].end == nil }.prefix(max(size.lines - 1, 1))
            for place in ended { rows[place].isDone = true }
            shown = running.count
            return up + (ended + running).map { "\r\u{1B}[2K\(fittingLine(rows[$0]))\n" }.joined()
        }
    }

    /// Returns the line of a transfer, in one line of the terminal. First the bar gets shorter, and then the name.
    private func fittingLine(_ row: Row) -> String {
        // Some terminals go to the next line after the last column.
        let columns = max(size.columns - 1, 1)
        let excess = line(row).cells - columns
        guard excess > 0 else { return line(row) }
        let width = max(style.width - excess, min(style.width, Self.shortest))
        let missing = line(row, width: width).cells - columns
        guard missing > 0 else { return line(row, width: width) }
        var short = row
        short.name = row.name.fitting(max(row.name.cells - missing, Self.shortest))
        return line(short, width: width).fitting(columns)
    }

    /// The lowest width of a bar, and of a name.
    private static let shortest = 8

    private func line(_ row: Row, width: Int? = nil) -> String {
        let text = ProgressText(width: width ?? style.width)
        switch row.end {
        case nil: return "\(row.name)  \(text.line(for: row.progress, row.rate))"
        case .success: return "\(row.name)  \(text.line(for: row.progress))"
        case .failure: return "\(row.name)  failed after \(ProgressText.size(row.progress.current.done))"
        case .cancelled, .duplicate:
            return "\(row.name)  cancelled after \(ProgressText.size(row.progress.current.done))"
        }
    }
}
