/// The table that a run prints.
public struct Report {
    let run: Run
    let others: [ForeignRow]

    /// - Parameter others: The measurements of other programs, shown below the rows.
    public init(_ run: Run, others: [ForeignRow] = []) {
        self.run = run
        self.others = others
    }

    public var text: String {
        var table = Table()
        table.add(["", "ns", "min - max", "x ref", "must", "aim", "allocs", "bytes", "peak MB"])
        if let summary = run.summary(of: run.reference) { table.add(cells(of: summary)) }
        addRows(to: &table)
        addOthers(to: &table)
        return table.text + amounts(.memory, "Heap bytes for each", "bytes") + amounts(.number, "Other numbers", "")
    }

    private func addRows(to table: inout Table) {
        var group = ""
        for summary in run.summaries where summary.row.kind == .time {
            if summary.group != group {
                group = summary.group
                table.add(heading: group)
                let reference = run.groups.first { $0.name == group }?.reference
                if let reference, let summary = run.summary(of: reference) { table.add(cells(of: summary)) }
            }
            table.add(cells(of: summary))
        }
    }

    /// Returns a table of the rows that do not measure time; empty without such rows.
    private func amounts(_ kind: Row.Kind, _ heading: String, _ unit: String) -> String {
        let summaries = run.summaries.filter { $0.row.kind == kind }
        guard !summaries.isEmpty else { return "" }
        var table = Table()
        table.add([heading, unit, "must", "aim"])
        for summary in summaries {
            table.add([label(summary), Format.number(summary.median)] + goals(summary))
        }
        return "\n" + table.text
    }

    private func addOthers(to table: inout Table) {
        var group = ""
        for other in others {
            if other.group != group {
                group = other.group
                table.add(heading: group)
            }
            let beside = ratioToOurs(other).map { "\(Format.decimal($0, places: 1)) x ours" } ?? ""
            let ratio = ratioToReference(other).map { Format.decimal($0, places: 2) } ?? ""
            table.add(["    \(other.name)", Format.number(other.nanoseconds), beside, ratio, "", "", "", "", ""])
        }
    }

    /// Returns the time of another program's row, divided by that of our row of the same name.
    func ratioToOurs(_ other: ForeignRow) -> Double? {
        run.summaries.first { $0.row.name == other.name }.map { other.nanoseconds / $0.median }
    }

    func ratioToReference(_ other: ForeignRow) -> Double? {
        run.summary(of: run.reference).map { other.nanoseconds / $0.median }
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

/// A row that another program has measured. A row of ours with the same name does the same work.
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
