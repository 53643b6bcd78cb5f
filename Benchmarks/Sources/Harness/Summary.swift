/// The measurements of one row over all rounds.
public struct Summary: Sendable {
    public let group: String
    public let row: Row
    /// Nanoseconds for each operation, bytes for each object, or the number itself.
    public let median: Double
    public let lowest: Double
    public let highest: Double
    /// The ratios to the reference beside it. Time only.
    public let ratios: Spread?
    public let allocations: Allocations?
    public let peak: Double?

    init(group: String, row: Row, samples: [Sample], references: [Double]) {
        self.group = group
        self.row = row
        let values = samples.map(\.value)
        median = values.median
        lowest = values.min() ?? 0
        highest = values.max() ?? 0
        ratios = references.isEmpty ? nil : Spread(zip(values, references).map { $0 / $1 })
        let allocations = samples.compactMap(\.allocations)
        self.allocations =
            allocations.isEmpty
            ? nil : Allocations(count: allocations.map(\.count).median, bytes: allocations.map(\.bytes).median)
        peak = samples.compactMap(\.peak).max()
    }

    /// The median of the ratios.
    public var ratio: Double? { ratios?.median }

    /// The value to which the goals of the row apply.
    var score: Double? { row.kind == .time ? ratio : median }

    /// Returns true if `goal` is met; nil without a goal.
    func meets(_ goal: Double?) -> Bool? {
        guard let goal, let score else { return nil }
        return score <= goal
    }
}

extension [Double] {
    /// The middle value, or the mean of the two; 0 if there is none.
    var median: Double {
        guard !isEmpty else { return 0 }
        let sorted = self.sorted()
        let middle = count / 2
        return count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
