/// All rounds over all rows.
///
/// Each round runs every row once, in a new order, and the reference right before and after each: on a machine that is
/// busy with other things a slow moment then hits a row together with its reference, and never all rounds of one row.
public struct Run {
    public let reference: Reference
    private let groups: [Group]
    private var samples: [[Sample]]
    private var references: [[Double]]
    private var referenceSamples: [Sample] = []

    public init(_ groups: [Group], against reference: Reference) {
        self.groups = groups
        self.reference = reference
        let count = groups.map(\.rows.count).reduce(0, +)
        samples = Array(repeating: [], count: count)
        references = Array(repeating: [], count: count)
    }

    /// Runs another round. What it measures is forgotten if it is only there to warm up.
    public mutating func round(isWarmUp: Bool = false) async throws {
        let rows = groups.flatMap(\.rows)
        for index in rows.indices.shuffled() {
            let before = try await settled(reference.row)
            let sample = try await settled(rows[index])
            let after = try await settled(reference.row)
            if isWarmUp { continue }
            samples[index].append(sample)
            referenceSamples += [before, after]
            if rows[index].kind == .time {
                references[index].append((before.value + after.value) / 2)
            }
        }
    }

    private func settled(_ row: Row) async throws -> Sample {
        Memory.settle()
        return try await row.sample()
    }

    public var summaries: [Summary] {
        var results = zip(samples, references).makeIterator()
        return groups.flatMap { group in
            group.rows.compactMap { row in
                results.next().map { Summary(group: group.name, row: row, samples: $0, references: $1) }
            }
        }
    }

    public var referenceSummary: Summary {
        Summary(group: "", row: reference.row, samples: referenceSamples, references: [])
    }
}
