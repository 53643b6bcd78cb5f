/// Promises that wait for their turn, first come, first served: a chain through the promises themselves.
struct Line<Joint: LineJoint>: @unchecked Sendable {
    // Unchecked: a line is always inside a lock or on one thread's stack.
    private var head: Node?
    private var tail: Node?

    var isEmpty: Bool { head == nil }
    var holdsSeveral: Bool { head?.toOpaque() != tail?.toOpaque() }

    mutating func append(_ node: Node) {
        Joint.set(nil, after: node)
        if let tail {
            Joint.set(node, after: tail)
        } else {
            head = node
        }
        tail = node
    }

    mutating func popFirst() -> Node? {
        guard let node = head else { return nil }
        head = Joint.get(after: node)
        if head == nil { tail = nil }
        Joint.set(nil, after: node)
        return node
    }

    /// Moves all of `other` behind what is here.
    mutating func append(contentsOf other: inout Line) {
        guard let first = other.head else { return }
        if let tail {
            Joint.set(first, after: tail)
        } else {
            head = first
        }
        tail = other.tail
        other = Line()
    }
}

/// Which field of a promise a line runs through, so that a promise can stand in two lines at once.
protocol LineJoint {
    static func get(after node: Node) -> Node?
    static func set(_ next: Node?, after node: Node)
}

/// A line of links that are ready to run.
enum Ready: LineJoint {
    static func get(after node: Node) -> Node? { node._withUnsafeGuaranteedRef { $0.next } }
    static func set(_ next: Node?, after node: Node) { node._withUnsafeGuaranteedRef { $0.next = next } }
}

/// A line of settled promises that have handlers to run on the concurrent scheduler.
enum Busy: LineJoint {
    static func get(after node: Node) -> Node? { node._withUnsafeGuaranteedRef { $0.nextBusy } }
    static func set(_ next: Node?, after node: Node) { node._withUnsafeGuaranteedRef { $0.nextBusy = next } }
}
