/// Rows of text under headings, in columns.
struct Table {
    enum Side {
        case left, right
    }

    private let columns: [(heading: String, side: Side)]
    private var rows: [[String]] = []

    init(_ columns: [(heading: String, side: Side)]) {
        self.columns = columns
    }

    mutating func append(_ row: [String]) {
        rows.append(row.map(\.printable))
    }

    /// Returns the lines, headings first, without trailing spaces.
    func lines(isTerminal: Bool) -> [String] {
        let widths = columns.indices.map { column in
            rows.reduce(columns[column].heading.count) { max($0, $1[column].count) }
        }
        func line(_ cells: [String]) -> String {
            let padded = columns.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - cells[column].count)
                return columns[column].side == .left ? cells[column] + space : space + cells[column]
            }
            let line = padded.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
        let heading = line(columns.map(\.heading))
        return [isTerminal ? "\u{1b}[1m\(heading)\u{1b}[0m" : heading] + rows.map(line)
    }

    /// Returns names and values, with the values in one column.
    static func facts(_ facts: [(name: String, value: String)]) -> String {
        let width = facts.reduce(0) { max($0, $1.name.count) }
        return facts.map { name, value in
            name + String(repeating: " ", count: width - name.count + 2) + value
        }.joined(separator: "\n")
    }
}
