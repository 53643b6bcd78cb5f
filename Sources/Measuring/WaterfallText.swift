/// The drawing of a waterfall for a terminal.
struct WaterfallText {
    let content: WaterfallContent
    let width: Int
    let isColored: Bool

    private var labelWidth: Int {
        min(max(content.rows.map(\.label.count).max() ?? 0, content.server?.count ?? 8), width * 2 / 5)
    }
    private var noteWidth: Int { min(content.rows.map(\.note.count).max() ?? 0, width / 3) }
    private var columns: Int { max(width - labelWidth - noteWidth - 2, 8) }

    var text: String {
        guard !content.rows.isEmpty else { return "no calls\n" }
        let axis = "0" + String(repeating: " ", count: max(columns - 1 - content.time.count, 1)) + content.time
        var lines = [(pad(content.server ?? "", labelWidth) + " " + axis).trimmingEnd]
        for row in content.rows {
            let line = pad(row.label, labelWidth) + " " + drawing(of: row) + " " + String(row.note.prefix(noteWidth))
            lines.append(line.trimmingEnd)
        }
        lines.append(content.phases.map { "\(painted($0, count: 1)) \($0.name)" }.joined(separator: "  "))
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
        let place = (content.share(time - content.start) * Double(columns)).rounded(rule)
        return min(Int(place), rule == .up ? columns : columns - 1)
    }

    private func painted(_ phase: WaterfallRow.Phase, count: Int) -> String {
        let look = phase.look
        let text = String(repeating: look.symbol, count: count)
        return isColored ? "\u{1B}[\(look.terminal)m\(text)\u{1B}[0m" : text
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
