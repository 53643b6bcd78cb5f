/// All rounds over all rows.
///
/// Each round runs every row once, in a new order, with its reference right before and after it. On a busy machine, a
/// slow moment then affects a row together with its reference, and never all rounds of one row.
public struct Run {
    /// The reference of the groups without one of their own.
    public let reference: Reference
    let groups: [Group]
    private var samples: [[Sample]]
    private var references: [[Double]]
    private var referenceSamples: [String: [Sample]] = [:]

    public init(_ groups: [Group], against reference: Reference) {
        self.groups = groups
        self.reference = reference
        let count = groups.map(\.rows.count).reduce(0, +)
        samples = Array(repeating: [], count: count)
        references = Array(repeating: [], count: count)
    }

    /// Runs another round. The measurements of a warm-up round are discarded.
    public mutating func round(isWarmUp: Bool = false) async throws {
        let rows = groups.flatMap { group in group.rows.map { (row: $0, reference: group.reference ?? reference) } }
        for index in rows.indices.shuffled() {
            let (row, reference) = rows[index]
            guard row.kind == .time else {
                let sample = try await settled(row)
                if !isWarmUp { samples[index].append(sample) }
                continue
            }
            let before = try await settled(reference.row)
            let sample = try await settled(row)
            let after = try await settled(reference.row)
            if isWarmUp { continue }
            samples[index].append(sample)
            referenceSamples[reference.name, default: []] += [before, after]
            references[index].append((before.value + after.value) / 2)
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

    /// Returns the measurements of a reference; nil if no row was compared with it.
    func summary(of reference: Reference) -> Summary? {
        referenceSamples[reference.name].map { samples in
            Summary(group: "", row: reference.row, samples: samples, references: [])
        }
    }
}
