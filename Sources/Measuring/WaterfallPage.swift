/// The drawing of a waterfall as a page that needs nothing else: no script, no image, no file.
struct WaterfallPage {
    let content: WaterfallContent
    let title: String

    var html: String {
        let legend = WaterfallRow.Phase.allCases.map { "<li><i class=\"\($0.rawValue)\"></i>\($0.name)</li>" }.joined()
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>\(Self.escape(title))</title>
            <style>
            \(Self.style)
            </style>
            </head>
            <body>
            <h1>\(Self.escape(title))</h1>
            <p>\(content.rows.isEmpty ? "No calls." : "\(content.server.map { "\(Self.escape($0)), " } ?? "")\(content.time) in all.")</p>
            <ul class="legend">\(legend)</ul>
            <table>
            <thead><tr><th>Call</th><th class="time"><span>0</span><span>\(content.time)</span></th>\
            <th>Result</th></tr></thead>
            <tbody>
            \(content.rows.map(row).joined(separator: "\n"))
            </tbody>
            </table>
            </body>
            </html>

            """
    }

    private func row(_ row: WaterfallRow) -> String {
        let bars = row.bars.map { bar in
            let left = percent(bar.start - content.start)
            let width = percent(bar.end - bar.start)
            return "<i class=\"\(bar.phase.rawValue)\" style=\"left:\(left)%;width:\(width)%\" title=\""
                + "\(bar.phase.name) \((bar.end - bar.start).text)\"></i>"
        }.joined()
        let label = Self.escape(row.label)
        return
            "<tr><td title=\"\(label)\">\(label)</td><td class=\"time\">\(bars)</td><td>\(Self.escape(row.note))</td></tr>"
    }

    private func percent(_ length: Duration) -> Double { (content.share(length) * 10_000).rounded() / 100 }

    static func escape(_ text: String) -> String {
        text.escaping(["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"])
    }

    private static let style = """
        :root { color-scheme: light dark; --line: #8884; }
        body { font: 14px/1.5 system-ui, sans-serif; margin: 2em; }
        h1 { font-size: 1.3em; margin: 0; }
        table { border-collapse: collapse; width: 100%; table-layout: fixed; }
        th, td { text-align: left; font-weight: normal; padding: .15em .5em; border-bottom: 1px solid var(--line);
          overflow: hidden; text-overflow: ellipsis; white-space: pre; }
        th.time, td.time { width: 55%; padding: 0; position: relative; }
        th.time span:last-child { position: absolute; right: 0; }
        td.time i { position: absolute; top: 20%; height: 60%; min-width: 2px; border-radius: 1px; }
        .legend { display: flex; flex-wrap: wrap; gap: 1em; list-style: none; padding: 0; }
        .legend i { display: inline-block; width: .9em; height: .9em; margin-right: .4em; border-radius: 2px; }
        \(WaterfallRow.Phase.styles("background", gap: "#8886"))
        """
}
