/// The drawing of a waterfall as an SVG picture, for a README or a report.
struct WaterfallPicture {
    let content: WaterfallContent

    // All lengths are in pixels. A character of the font is at most 7.3 pixels wide.
    private static let (rowHeight, character, margin) = (22, 7.3, 12)
    private static let timeWidth = 420

    private var labelWidth: Int { width(of: content.rows.map(\.label) + [content.server ?? ""]) }
    private var noteWidth: Int { width(of: content.rows.map(\.note)) }
    private var left: Int { Self.margin + labelWidth + Self.margin }
    private var height: Int { (content.rows.count + 2) * Self.rowHeight + 2 * Self.margin }
    private var width: Int {
        left + Self.timeWidth + max(noteWidth, legendWidth - Self.timeWidth) + 2 * Self.margin
    }

    private var legendWidth: Int { content.phases.map { legendWidth(of: $0) }.reduce(0, +) }

    var svg: String {
        let description = content.rows.isEmpty ? "No calls." : "\(content.rows.count) requests in \(content.time)."
        let size = "width=\"\(width)\" height=\"\(height)\""
        return """
            <svg xmlns="http://www.w3.org/2000/svg" \(size) viewBox="0 0 \(width) \(height)" role="img">
            <title>\(description)</title>
            <style>
            \(Self.style)
            </style>
            <rect class="paper" \(size) rx="6"/>
            \(axis)
            \(content.rows.enumerated().map { drawing(of: $0.element, at: $0.offset + 1) }.joined(separator: "\n"))
            \(legend)
            </svg>

            """
    }

    private var axis: String {
        let right = left + Self.timeWidth
        return text(content.server ?? "", x: Self.margin, row: 0, isQuiet: true)
            + text("0", x: left, row: 0, isQuiet: true)
            + text(content.time, x: right, row: 0, isQuiet: true, isAtEnd: true)
    }

    private func drawing(of row: WaterfallRow, at number: Int) -> String {
        let top = Self.margin + number * Self.rowHeight + 5
        let bars = row.bars.map { bar in
            let first = place(of: bar.start)
            let length = max(place(of: bar.end) - first, 2)
            return
                "<rect class=\"\(bar.phase.rawValue)\" x=\"\(tenths(first))\" y=\"\(top)\" width=\"\(tenths(length))\" "
                + "height=\"\(Self.rowHeight - 10)\" rx=\"1\"/>"
        }.joined()
        return text(row.label, x: Self.margin, row: number) + bars
            + text(row.note, x: left + Self.timeWidth + Self.margin, row: number, isQuiet: true)
    }

    private var legend: String {
        var x = left
        return content.phases.map { phase in
            defer { x += legendWidth(of: phase) }
            let top = Self.margin + (content.rows.count + 1) * Self.rowHeight + 6
            return "<rect class=\"\(phase.rawValue)\" x=\"\(x)\" y=\"\(top)\" width=\"10\" height=\"10\" rx=\"2\"/>"
                + text(phase.name, x: x + 15, row: content.rows.count + 1, isQuiet: true)
        }.joined()
    }

    // MARK: Parts

    private func text(_ text: String, x: Int, row: Int, isQuiet: Bool = false, isAtEnd: Bool = false) -> String {
        let y = Self.margin + row * Self.rowHeight + 15
        // Spaces at the beginning indent further attempts.
        let indent = Double(text.prefix { $0 == " " }.count) * Self.character
        return "<text\(isQuiet ? " class=\"quiet\"" : "")\(isAtEnd ? " text-anchor=\"end\"" : "") "
            + "x=\"\(tenths(Double(x) + indent))\" y=\"\(y)\">\(WaterfallPage.escape(text.trimmingStart))</text>"
    }

    private func place(of time: Duration) -> Double {
        Double(left) + content.share(time - content.start) * Double(Self.timeWidth)
    }

    private func tenths(_ number: Double) -> Double { (number * 10).rounded() / 10 }
    private func width(of texts: [String]) -> Int {
        Int((Double(texts.map(\.count).max() ?? 0) * Self.character).rounded(.up))
    }
    private func legendWidth(of phase: WaterfallRow.Phase) -> Int { width(of: [phase.name]) + 30 }

    private static let style = """
        text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2328; }
        .quiet { fill: #656d76; } .paper { fill: #fff; }
        \(WaterfallRow.Phase.styles("fill", gap: "#d5d9de"))
        @media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .quiet { fill: #8d96a0; } .paper { fill: #161b22; }
          .gap { fill: #3d444d; } }
        """
}

extension String {
    fileprivate var trimmingStart: String { String(drop { $0 == " " }) }
}
