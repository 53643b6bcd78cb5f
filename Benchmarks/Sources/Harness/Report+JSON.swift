import Foundation

extension Report {
    /// Returns the report as JSON: one object for each row.
    public func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return String(decoding: try encoder.encode(entries), as: UTF8.self)
    }

    private var entries: [Entry] {
        references.map(Entry.init) + run.summaries.map(Entry.init)
            + others.map { Entry($0, ratio: ratioToOurs($0) ?? ratioToReference($0)) }
    }

    private var references: [Summary] {
        ([run.reference] + run.groups.compactMap(\.reference)).reduce(into: []) { summaries, reference in
            guard let summary = run.summary(of: reference) else { return }
            if !summaries.contains(where: { $0.row.name == summary.row.name }) { summaries.append(summary) }
        }
    }
}

private struct Entry: Encodable {
    let group: String
    let name: String
    let kind: Row.Kind
    let isComparison: Bool
    let median: Double
    let min: Double?
    let max: Double?
    let ratio: Double?
    let must: Double?
    let aim: Double?
    let meetsMust: Bool?
    let meetsAim: Bool?
    let allocations: Double?
    let allocatedBytes: Double?
    let peakBytes: Double?

    init(_ summary: Summary) {
        group = summary.group
        name = summary.row.name
        kind = summary.row.kind
        isComparison = summary.row.isComparison
        median = summary.median
        min = summary.lowest
        max = summary.highest
        ratio = summary.ratio
        must = summary.row.must
        aim = summary.row.aim
        meetsMust = summary.meets(summary.row.must)
        meetsAim = summary.meets(summary.row.aim)
        allocations = summary.allocations?.count
        allocatedBytes = summary.allocations?.bytes
        peakBytes = summary.peak
    }

    init(_ other: ForeignRow, ratio: Double?) {
        group = other.group
        name = other.name
        kind = .time
        isComparison = true
        median = other.nanoseconds
        self.ratio = ratio
        (min, max, must, aim, meetsMust, meetsAim) = (nil, nil, nil, nil, nil, nil)
        (allocations, allocatedBytes, peakBytes) = (nil, nil, nil)
    }
}
