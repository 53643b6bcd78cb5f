/// Text in aligned columns: the first to the left, all others to the right.
public struct Table {
    private var lines: [Line] = []

    public init() {}

    private enum Line {
        case cells([String])
        case heading(String)
    }

    var isEmpty: Bool { lines.isEmpty }

    public mutating func add(_ cells: [String]) {
        lines.append(.cells(cells))
    }

    /// Adds a line across all columns.
    public mutating func add(heading: String) {
        lines.append(.heading(heading))
    }

    /// The lines, without spaces at their ends.
    public var text: String {
        var widths: [Int] = []
        for case .cells(let cells) in lines {
            for (column, cell) in cells.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.count)
            }
        }
        return lines.map { line in
            switch line {
            case .heading(let text):
                "\n\(text)\n"
            case .cells(let cells):
                zip(cells, widths).enumerated().map { column, pair in
                    let padding = String(repeating: " ", count: pair.1 - pair.0.count)
                    return column == 0 ? pair.0 + padding : padding + pair.0
                }.joined(separator: "  ").trimmed + "\n"
            }
        }.joined()
    }
}

/// Numbers as a table shows them.
public enum Format {
    /// Returns a number with about three digits: `0.25`, `2.5`, `25`, `2,500`.
    static func number(_ value: Double) -> String {
        switch abs(value) {
        case ..<0.005: "0"
        case ..<1: decimal(value, places: 2)
        case ..<10: decimal(value, places: 1)
        default: grouped(Int(value.rounded()))
        }
    }

    /// Returns a goal as it is written in the source: `4`, `1.7`, `1.05`.
    static func goal(_ value: Double) -> String {
        guard value != value.rounded() else { return grouped(Int(value)) }
        let isShort = abs(value * 10 - (value * 10).rounded()) < 0.001
        return decimal(value, places: isShort ? 1 : 2)
    }

    public static func decimal(_ value: Double, places: Int) -> String {
        let factor = places == 2 ? 100 : 10
        let scaled = Int((abs(value) * Double(factor)).rounded())
        let fraction = String(scaled % factor)
        let zeros = String(repeating: "0", count: places - fraction.count)
        return "\(value < 0 ? "-" : "")\(scaled / factor).\(zeros)\(fraction)"
    }

    /// Returns a number with three significant digits, without a separator, for files and plots: `0.0123`, `1.23`, `1230`.
    static func significant(_ value: Double) -> String {
        guard value != 0, value.isFinite else { return "0" }
        let exponent = Int(abs(value).logarithm.rounded(.down))
        let factor = Double(2 - exponent).powerOfTen
        let rounded = (value * factor).rounded() / factor
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)"
    }

    /// Returns the label of a power of ten on an axis: `0.01`, `1`, `1,000`.
    static func tick(_ value: Double) -> String {
        value < 1 ? significant(value) : grouped(Int(value.rounded()))
    }

    /// Returns nanoseconds with the unit that fits: `100 ns`, `10 µs`, `1 s`.
    static func duration(_ nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<1_000: "\(significant(nanoseconds)) ns"
        case ..<1_000_000: "\(significant(nanoseconds / 1_000)) µs"
        case ..<1_000_000_000: "\(significant(nanoseconds / 1_000_000)) ms"
        default: "\(significant(nanoseconds / 1_000_000_000)) s"
        }
    }

    static func grouped(_ value: Int) -> String {
        var digits = String(abs(value))
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return (value < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
    }
}

extension String {
    /// The text with at most so many characters.
    func shortened(to most: Int) -> String { count <= most ? self : prefix(most - 1) + "…" }

    /// The text without spaces at its end.
    fileprivate var trimmed: String {
        String(self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)])
    }
}
