/// The options of the command line.
public struct Options: Sendable {
    /// Only rows whose group or name contains this.
    public var filter: String?
    public var rounds = 9
    public var size = Size.full
    public var printsJSON = false
    public var output = Output.rows
    /// The version as which a report stores its ratios.
    public var version: String?

    public enum Output: Sendable {
        case rows
        case growth
        case hitRatios
        case report
        case check
    }

    public static let usage = """
        usage: swift run -c release Benchmarks [options]
          --filter <text>    only rows whose group or name contains the text
          --rounds <number>  how often each row runs (9)
          --smoke            one quick round of everything
          --json             print JSON instead of a table
          --growth           the costs of operations beside more and more of something, instead of the rows
          --hit-ratios       what caches in memory find of generated traces, instead of the rows
          --report           run all rows and sizes, and write Report/README.md with plots
          --store <version>  with --report: store the ratios as those of a version, in History
          --check            fail if a ratio is worse than that of the last version, or a cost grows without a reason
        """

    public struct Unknown: Error {
        public let argument: String
    }

    public init(_ arguments: some Sequence<String>) throws(Unknown) {
        var arguments = arguments.makeIterator()
        while let argument = arguments.next() {
            switch argument {
            case "--filter":
                guard let text = arguments.next() else { throw Unknown(argument: argument) }
                filter = text
            case "--rounds":
                guard let rounds = arguments.next().flatMap({ Int($0) }), rounds > 0 else {
                    throw Unknown(argument: argument)
                }
                self.rounds = rounds
            case "--smoke":
                size = .smoke
                rounds = 1
            case "--json":
                printsJSON = true
            case "--growth":
                output = .growth
            case "--hit-ratios":
                output = .hitRatios
            case "--report":
                output = .report
            case "--store":
                guard let text = arguments.next() else { throw Unknown(argument: argument) }
                version = text
            case "--check":
                output = .check
            default:
                throw Unknown(argument: argument)
            }
        }
    }

    /// Runs the rounds, after one to warm up unless the work is small.
    public func `repeat`(_ round: (_ isWarmUp: Bool) async throws -> Void) async rethrows {
        if size == .full { try await round(true) }
        for _ in 0..<rounds { try await round(false) }
    }

    /// Returns the rows that match the filter.
    public func select(_ groups: [Group]) -> [Group] {
        groups.compactMap { group in
            group.filtered { selects(group.name) || selects($0.name) }
        }
    }

    /// Returns the rows that match the filter.
    public func select(_ rows: [GrowthRow]) -> [GrowthRow] {
        rows.filter { selects($0.name) || selects($0.dimension) }
    }

    /// Returns true if a name matches the filter.
    public func selects(_ name: String) -> Bool {
        filter.map { name.lowercased().contains($0.lowercased()) } ?? true
    }
}
