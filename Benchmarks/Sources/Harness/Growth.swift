/// An operation that is measured beside more and more of something on which its cost could depend.
public struct GrowthRow: Sendable {
    public let name: String
    /// The name of that something, such as "entries".
    public let dimension: String
    /// The reason why the cost grows, as a sentence; nil if it must not.
    public let reason: String?
    public let sizes: [Int]
    let nanoseconds: @Sendable (_ size: Int) async throws -> Double

    /// Creates a row with a closure that returns the nanoseconds of one operation at a size.
    public init(
        _ name: String, beside dimension: String, _ sizes: [Int], growsBecause reason: String? = nil,
        _ nanoseconds: @escaping @Sendable (_ size: Int) async throws -> Double
    ) {
        self.name = name
        self.dimension = dimension
        self.reason = reason
        self.sizes = sizes
        self.nanoseconds = nanoseconds
    }
}

/// The cost of an operation at each of several sizes.
public struct GrowthCurve: Sendable {
    public let name: String
    public let dimension: String
    public let reason: String?
    public let points: [(size: Int, time: Spread)]

    public init(name: String, dimension: String, reason: String? = nil, points: [(size: Int, time: Spread)]) {
        self.name = name
        self.dimension = dimension
        self.reason = reason
        self.points = points
    }

    /// The exponent of the power of the size by which the cost grows, from 100 on: 0 is flat, and 1 is linear.
    ///
    /// Below 100, the cost consists of what does not depend on the size. Nil if there are fewer than two sizes.
    public var exponent: Double? {
        let points = points.filter { $0.size >= 100 }
        guard let first = points.first, let last = points.last, first.size < last.size else { return nil }
        return (last.time.median / first.time.median).logarithm / (Double(last.size) / Double(first.size)).logarithm
    }

    /// A Boolean value that indicates whether the cost is flat or logarithmic.
    ///
    /// From 100 to 10,000, a logarithm doubles, which is an exponent of 0.15. More distant memory costs as much again.
    public var isFlat: Bool { exponent.map { $0 < 0.3 } ?? true }
}

/// All rounds over all rows and sizes, each round in a new order.
public struct GrowthRun {
    private let rows: [GrowthRow]
    private var samples: [[[Double]]]

    public init(_ rows: [GrowthRow]) {
        self.rows = rows
        samples = rows.map { row in Array(repeating: [], count: row.sizes.count) }
    }

    /// Runs another round. The measurements of a warm-up round are discarded.
    public mutating func round(isWarmUp: Bool = false) async throws {
        let places = rows.indices.flatMap { row in rows[row].sizes.indices.map { (row: row, size: $0) } }
        for place in places.shuffled() {
            let row = rows[place.row]
            Memory.settle()
            let time = try await row.nanoseconds(row.sizes[place.size])
            if !isWarmUp { samples[place.row][place.size].append(time) }
        }
    }

    public var curves: [GrowthCurve] {
        zip(rows, samples).map { row, samples in
            GrowthCurve(
                name: row.name, dimension: row.dimension, reason: row.reason,
                points: zip(row.sizes, samples).map { (size: $0, time: Spread($1)) })
        }
    }
}

extension [GrowthCurve] {
    /// The curves as a table: nanoseconds of one operation at each size, and the exponent.
    ///
    /// Each dimension has a heading with its sizes.
    public var table: String {
        let columns = map(\.points.count).max() ?? 0
        var table = Table()
        var dimension = ""
        for curve in self {
            let blanks = [String](repeating: "", count: columns - curve.points.count)
            if curve.dimension != dimension {
                dimension = curve.dimension
                let isFirst = table.isEmpty
                if !isFirst { table.add([""]) }
                let sizes = curve.points.map { Format.grouped($0.size) }
                table.add([dimension] + sizes + blanks + [isFirst ? "exponent" : "", ""])
            }
            let times = curve.points.map { Format.number($0.time.median) }
            let exponent = curve.exponent.map { Format.decimal($0, places: 2) } ?? ""
            table.add(["  \(curve.name)"] + times + blanks + [exponent, curve.isFlat ? "✓" : "✗"])
        }
        return table.text
    }

    /// The reasons of the rows that grow, and the rows that grow without one.
    public var remarks: [String] {
        filter { !$0.isFlat }.map { curve in
            "\(curve.name), beside \(curve.dimension): \(curve.reason ?? "the cost must not grow.")"
        }
    }

    /// The curves that must be flat, and are not.
    public var unexplained: [GrowthCurve] { filter { !$0.isFlat && $0.reason == nil } }
}
