/// The drawing of a waterfall for a terminal.
struct WaterfallText {
    let rows: [WaterfallRow]
    /// The server of all calls; nil if there are several.
    let server: String?
    let start: Duration
    let end: Duration
    let width: Int
    let isColored: Bool

    private static let symbols: [WaterfallRow.Phase: (symbol: Character, color: Int)] = [
        .gap: ("·", 90), .queue: ("░", 90), .resolve: ("n", 36), .connect: ("c", 33), .secure: ("t", 35),
        .wait: ("─", 32),
        .receive: ("█", 34), .decode: ("▒", 36), .hit: ("*", 32),
    ]

    private var labelWidth: Int { min(max(rows.map(\.label.count).max() ?? 0, server?.count ?? 8), width * 2 / 5) }
    private var noteWidth: Int { min(rows.map(\.note.count).max() ?? 0, width / 3) }
    private var columns: Int { max(width - labelWidth - noteWidth - 2, 8) }

    var text: String {
        guard !rows.isEmpty else { return "no calls\n" }
        let total = (end - start).text
        let axis = "0" + String(repeating: " ", count: max(columns - 1 - total.count, 1)) + total
        var lines = [(pad(server ?? "", labelWidth) + " " + axis).trimmingEnd]
        for row in rows {
            let line = pad(row.label, labelWidth) + " " + drawing(of: row) + " " + String(row.note.prefix(noteWidth))
            lines.append(line.trimmingEnd)
        }
        let used = WaterfallRow.Phase.allCases.filter { phase in
            rows.contains { $0.bars.contains { $0.phase == phase } }
        }
        lines.append(used.map { "\(painted($0, count: 1)) \($0.name)" }.joined(separator: "  "))
        return lines.joined(separator: "\n") + "\n"
    }

    /// Each part has at least one column, and later parts are drawn over earlier ones.
    private func drawing(of row: WaterfallRow) -> String {
        var cells: [WaterfallRow.Phase?] = Array(repeating: nil, count: columns)
        for bar in row.bars {
            let first = column(of: bar.start)
            let last = max(first + 1, column(of: bar.end, rounding: .up))
            for column in first..<min(last, columns) { cells[column] = bar.phase }
        }
        var text = ""
        var index = 0
        while index < columns {
            let phase = cells[index]
            let run = cells[index...].prefix { $0 == phase }.count
            text += phase.map { painted($0, count: run) } ?? String(repeating: " ", count: run)
            index += run
        }
        return text
    }

    private func column(of time: Duration, rounding rule: FloatingPointRoundingRule = .down) -> Int {
        let total = (end - start) / .nanoseconds(1)
        guard total > 0 else { return 0 }
        let place = ((time - start) / .nanoseconds(1) / total * Double(columns)).rounded(rule)
        return min(max(Int(place), 0), rule == .up ? columns : columns - 1)
    }

    private func painted(_ phase: WaterfallRow.Phase, count: Int) -> String {
        guard let (symbol, color) = Self.symbols[phase] else { return "" }
        let text = String(repeating: symbol, count: count)
        return isColored ? "\u{1B}[\(color)m\(text)\u{1B}[0m" : text
    }

    private func pad(_ text: String, _ width: Int) -> String {
        let text = text.count > width ? text.prefix(max(width - 1, 0)) + "…" : text[...]
        return text + String(repeating: " ", count: width - text.count)
    }
}

extension String {
    fileprivate var trimmingEnd: String {
        String(self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)])
    }
}
