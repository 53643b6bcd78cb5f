/// A workload: one line of the table.
///
/// ```swift
/// Row("a lookup that hits", operations: 10_000, must: 2, aim: 1.5) { for key in keys { keep(cache[key]) } }
/// ```
public struct Row: Sendable {
    /// The kind of measurement.
    public enum Kind: String, Sendable, Codable {
        /// Time and allocations of one operation.
        case time
        /// Heap bytes that stay in use for one object.
        case memory
        /// Any other number, which the name of the row explains.
        case number
    }

    public let name: String
    public let kind: Kind
    /// The goals: multiples of the reference for time, bytes for memory, the number itself for other rows.
    public let must: Double?
    public let aim: Double?
    /// True for a row that does the same work by other means, for comparison.
    public let isComparison: Bool
    let sample: @Sendable () async throws -> Sample

    /// A workload that blocks the thread until its `operations` are done.
    ///
    /// - Parameter tracksPeak: If true, the row reports the peak growth of the process's memory.
    public init(
        _ name: String, operations: Int, must: Double? = nil, aim: Double? = nil, isComparison: Bool = false,
        tracksPeak: Bool = false, _ run: @escaping @Sendable () -> Void
    ) {
        self.init(
            name, operations: operations, must: must, aim: aim, isComparison: isComparison, tracksPeak: tracksPeak,
            setUp: {}, run)
    }

    /// A workload with preparations, which are not measured.
    public init<State>(
        _ name: String, operations: Int, must: Double? = nil, aim: Double? = nil, isComparison: Bool = false,
        tracksPeak: Bool = false, setUp: @escaping @Sendable () -> State, _ run: @escaping @Sendable (State) -> Void
    ) {
        self.init(name, .time, must: must, aim: aim, isComparison: isComparison) {
            await Sample.time(operations, tracksPeak: tracksPeak, setUp: setUp, run)
        }
    }

    /// A workload in a task, away from the main actor.
    public init(
        _ name: String, operations: Int, must: Double? = nil, aim: Double? = nil, isComparison: Bool = false,
        tracksPeak: Bool = false, awaiting run: @escaping @Sendable () async throws -> Void
    ) {
        self.init(name, .time, must: must, aim: aim, isComparison: isComparison) {
            try await Sample.time(operations, tracksPeak: tracksPeak, run)
        }
    }

    /// A workload in a task, away from the main actor, with preparations that are not measured.
    public init<State: Sendable>(
        _ name: String, operations: Int, must: Double? = nil, aim: Double? = nil, isComparison: Bool = false,
        preparing setUp: @escaping @Sendable () async throws -> State,
        awaiting run: @escaping @Sendable (State) async throws -> Void
    ) {
        self.init(name, .time, must: must, aim: aim, isComparison: isComparison) {
            let state = try await setUp()
            return try await Sample.time(operations, tracksPeak: false) { try await run(state) }
        }
    }

    /// A workload that measures its own time, in nanoseconds for each operation.
    public static func timed(
        _ name: String, must: Double? = nil, aim: Double? = nil, isComparison: Bool = false,
        _ measure: @escaping @Sendable () async throws -> Double
    ) -> Row {
        Row(name, .time, must: must, aim: aim, isComparison: isComparison) {
            try await Sample.number(measure)
        }
    }

    /// A number that is neither time nor memory.
    public static func number(
        _ name: String, must: Double? = nil, aim: Double? = nil, isComparison: Bool = false,
        _ measure: @escaping @Sendable () async throws -> Double
    ) -> Row {
        Row(name, .number, must: must, aim: aim, isComparison: isComparison) {
            try await Sample.number(measure)
        }
    }

    /// Heap bytes for each of `count` objects, which `make` returns together with their container.
    public static func memory(
        _ name: String, count: Int, must: Double? = nil, aim: Double? = nil, isComparison: Bool = false,
        _ make: @escaping @Sendable () async -> Any
    ) -> Row {
        Row(name, .memory, must: must, aim: aim, isComparison: isComparison) {
            await Sample.memory(count, make)
        }
    }

    private init(
        _ name: String, _ kind: Kind, must: Double?, aim: Double?, isComparison: Bool,
        _ sample: @escaping @Sendable () async throws -> Sample
    ) {
        self.name = name
        self.kind = kind
        self.must = must
        self.aim = aim
        self.isComparison = isComparison
        self.sample = sample
    }
}

/// Rows that belong together, under one heading.
public struct Group: Sendable {
    public let name: String
    /// The reference of the rows; nil for the reference of the run.
    public let reference: Reference?
    public let rows: [Row]

    public init(_ name: String, against reference: Reference? = nil, _ rows: [Row]) {
        self.name = name
        self.reference = reference
        self.rows = rows
    }

    /// Returns the group with some of its rows, or nil if there are none.
    public func filtered(_ isIncluded: (Row) -> Bool) -> Group? {
        let rows = rows.filter(isIncluded)
        return rows.isEmpty ? nil : Group(name, against: reference, rows)
    }
}

/// The amount of work of a run.
public enum Size: Sendable {
    case full
    /// A tenth of the work, to check that every row runs.
    case smoke

    public func callAsFunction(_ operations: Int) -> Int {
        switch self {
        case .full: operations
        case .smoke: max(1, operations / 10)
        }
    }
}
