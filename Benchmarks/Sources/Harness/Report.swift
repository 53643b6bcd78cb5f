/// The table that a run prints.
public struct Report {
    let run: Run
    let others: [ForeignRow]

    /// - Parameter others: What other programs have measured, to be shown below.
    public init(_ run: Run, others: [ForeignRow] = []) {
        self.run = run
        self.others = others
    }

    public var text: String {
        var table = Table()
        let name = run.reference.name
        table.add(["", "ns", "min - max", "x \(name)", "must", "aim", "allocs", "bytes", "peak MB"])
        table.add(cells(of: run.referenceSummary))
        addRows(.time, to: &table)
        addOthers(to: &table)
        let memory = run.summaries.filter { $0.row.kind == .memory }
        guard !memory.isEmpty else { return table.text }
        var second = Table()
        second.add(["Heap bytes for each", "bytes", "must", "aim"])
        for summary in memory {
            second.add([label(summary), Format.number(summary.median)] + goals(summary))
        }
        return table.text + "\n" + second.text
    }

    private func addRows(_ kind: Row.Kind, to table: inout Table) {
        var group = ""
        for summary in run.summaries where summary.row.kind == kind {
            if summary.group != group {
                group = summary.group
                table.add(heading: group)
            }
            table.add(cells(of: summary))
        }
    }

    private func addOthers(to table: inout Table) {
        var group = ""
        let reference = run.referenceSummary.median
        for other in others {
            if other.group != group {
                group = other.group
                table.add(heading: group)
            }
            let ratio = Format.decimal(other.nanoseconds / reference, places: 2)
            table.add(["    \(other.name)", Format.number(other.nanoseconds), "", ratio, "", "", "", "", ""])
        }
    }

    private func cells(of summary: Summary) -> [String] {
        [
            label(summary),
            Format.number(summary.median),
            "\(Format.number(summary.lowest)) - \(Format.number(summary.highest))",
            summary.ratio.map { Format.decimal($0, places: 2) } ?? "",
        ] + goals(summary) + [
            summary.allocations.map { Format.number($0.count) } ?? "",
            summary.allocations.map { Format.number($0.bytes) } ?? "",
            summary.peak.map { Format.number($0 / 1_048_576) } ?? "",
        ]
    }

    private func label(_ summary: Summary) -> String {
        summary.row.isComparison ? "    \(summary.row.name)" : "  \(summary.row.name)"
    }

    private func goals(_ summary: Summary) -> [String] {
        [summary.row.must, summary.row.aim].map { goal in
            guard let goal, let isMet = summary.meets(goal) else { return "" }
            return "\(Format.goal(goal)) \(isMet ? "✓" : "✗")"
        }
    }
}

/// A row that another program has measured.
public struct ForeignRow: Sendable {
    public let group: String
    public let name: String
    public let nanoseconds: Double

    public init(group: String, name: String, nanoseconds: Double) {
        self.group = group
        self.name = name
        self.nanoseconds = nanoseconds
    }
}
