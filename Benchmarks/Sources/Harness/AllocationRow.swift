/// An operation whose allocations are counted, with the most that it may make.
///
/// The same code makes the same allocations on every machine. Therefore they have limits that a change must keep, where
/// times have goals.
///
/// ```swift
/// AllocationRow("a promise", limit: 1) { count in
///     for _ in 0..<count { keep(Promise(1)) }
/// }
/// ```
public struct AllocationRow: Sendable {
    public let name: String
    public let limit: Int
    private let scatter: Int
    private let turns: Int
    private let turn: @Sendable () throws -> Double

    /// Creates a row with a closure that does the operation as often as it is told.
    ///
    /// - Parameters:
    ///   - scatter: The allocations that an operation saves if threads run in a lucky order; 0 for most operations.
    ///   - operations: The operations of a turn. Those with a scatter need turns of one operation, of which there are
    ///     more.
    public init(
        _ name: String, limit: Int, scatter: Int = 0, operations: Int = 1_000,
        _ run: @escaping @Sendable (_ operations: Int) throws -> Void
    ) {
        self.init(name, limit: limit, scatter: scatter, operations: operations, preparing: {}) { _, operations in
            try run(operations)
        }
    }

    /// Creates a row with preparations, whose allocations are not counted.
    public init<State>(
        _ name: String, limit: Int, scatter: Int = 0, operations: Int = 1_000,
        preparing setUp: @escaping @Sendable () throws -> State,
        _ run: @escaping @Sendable (State, _ operations: Int) throws -> Void
    ) {
        self.name = name
        self.limit = limit
        self.scatter = scatter
        turns = max(25, 2_000 / operations)
        turn = {
            let state = try setUp()
            let before = Allocations.now
            try run(state, operations)
            return (Allocations.now - before).count / Double(operations)
        }
    }

    /// Counts the allocations of all threads, in many turns.
    ///
    /// The turn with the fewest counts. The others include caches that are filled once, arrays that grow, and what other
    /// threads do meanwhile.
    public func count() throws -> AllocationCount {
        var fewest = Double.infinity
        for _ in 0..<turns { fewest = min(fewest, try turn()) }
        return AllocationCount(name: name, perOperation: fewest, limit: limit, scatter: scatter)
    }
}

/// The allocations of an operation beside their limit.
public struct AllocationCount: Sendable {
    public let name: String
    public let perOperation: Double
    public let limit: Int
    public let scatter: Int

    public init(name: String, perOperation: Double, limit: Int, scatter: Int = 0) {
        self.name = name
        self.perOperation = perOperation
        self.limit = limit
        self.scatter = scatter
    }

    /// The allocations of one operation. Those that many operations share, such as an array of results, are less than
    /// half of one.
    public var rounded: Int { Int(perOperation.rounded()) }

    /// The relation to the limit.
    public enum Verdict: Equatable, Sendable {
        case met
        case exceeded
        /// The operation makes fewer allocations than its limit, by more than the scatter.
        case tooLoose
    }

    public var verdict: Verdict {
        if rounded > limit { return .exceeded }
        return rounded < limit - scatter ? .tooLoose : .met
    }

    /// The sentence that a developer needs to read; nil if the limit is met exactly.
    public var remark: String? {
        switch verdict {
        case .met: nil
        case .exceeded: "error: \(name): \(rounded) allocations. The limit is \(limit)."
        case .tooLoose: "hint: \(name): \(rounded) allocations. Lower the limit of \(limit)."
        }
    }
}

extension [AllocationCount] {
    /// The counts as a table, with a remark below it for each limit that does not fit.
    public var report: String {
        var table = Table()
        table.add(["Allocations of one operation", "counted", "limit"])
        for count in self { table.add(["  \(count.name)", "\(count.rounded)", "\(count.limit)"]) }
        return table.text + compactMap(\.remark).map { "\n\($0)" }.joined()
    }

    /// A Boolean value that indicates whether no limit is exceeded.
    public var meetLimits: Bool { !contains { $0.verdict == .exceeded } }
}
