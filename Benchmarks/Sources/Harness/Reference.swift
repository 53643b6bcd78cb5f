/// A workload to which rows are compared, so that results from different machines are comparable.
public struct Reference: Sendable {
    /// The name in the table.
    public let name: String
    public let row: Row

    public init(_ name: String, _ row: Row) {
        self.name = name
        self.row = row
    }

    /// R2: allocates an object that holds a closure, and calls it through an existential.
    ///
    /// That is the lowest cost of a callback. The objects live in an array, a thousand at a time: one allocation, one
    /// call and one release for each.
    public static func callback(_ size: Size) -> Reference {
        let operations = size(20_000)
        return Reference(
            "R2",
            Row("R2: make an object with a closure, call it", operations: operations) {
                callCallbacks(operations) { $0 &+ 1 }
            })
    }
}

private protocol Callable {
    func call(_ number: Int) -> Int
}

private final class Callback: Callable {
    let body: (Int) -> Int
    init(_ body: @escaping (Int) -> Int) { self.body = body }
    func call(_ number: Int) -> Int { body(number) }
}

@inline(never)
private func callCallbacks(_ count: Int, _ body: @escaping (Int) -> Int) {
    var callbacks: [any Callable] = []
    callbacks.reserveCapacity(1_000)
    var sum = 0
    for _ in 0..<(count / 1_000) {
        for _ in 0..<1_000 { callbacks.append(Callback(body)) }
        for callback in callbacks { sum &+= callback.call(1) }
        callbacks.removeAll(keepingCapacity: true)
    }
    keep(sum)
}
