/// The options of the command line.
public struct Options: Sendable {
    /// Only rows whose group or name contains this.
    public var filter: String?
    public var rounds = 9
    public var size = Size.full
    public var printsJSON = false
    /// The other report, printed in place of the rows.
    public var printsHitRatios = false

    public static let usage = """
        usage: swift run -c release Benchmarks [options]
          --filter <text>    only rows whose group or name contains the text
          --rounds <number>  how often each row runs (9)
          --smoke            one quick round of everything
          --json             print JSON instead of a table
          --hit-ratios       what caches in memory find of generated traces, instead of the rows
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
            case "--hit-ratios":
                printsHitRatios = true
            default:
                throw Unknown(argument: argument)
            }
        }
    }

    /// Returns the rows that match the filter.
    public func select(_ groups: [Group]) -> [Group] {
        groups.compactMap { group in
            let rows = group.rows.filter { selects(group.name) || selects($0.name) }
            return rows.isEmpty ? nil : Group(group.name, against: group.reference, rows)
        }
    }

    /// Returns true if a name matches the filter.
    public func selects(_ name: String) -> Bool {
        filter.map { name.lowercased().contains($0.lowercased()) } ?? true
    }
}
