/// A queue of promises, first in, first out, which runs through the promises themselves.
struct PromiseQueue<Field: QueueField>: @unchecked Sendable {
    // Unchecked: a queue is always inside a lock or on one thread's stack.
    private var head: Node?
    private var tail: Node?

    var isEmpty: Bool { head == nil }
    var holdsSeveral: Bool { head?.toOpaque() != tail?.toOpaque() }

    mutating func append(_ node: Node) {
        Field.set(nil, after: node)
        if let tail {
            Field.set(node, after: tail)
        } else {
            head = node
        }
        tail = node
    }

    mutating func popFirst() -> Node? {
        guard let node = head else { return nil }
        head = Field.get(after: node)
        if head == nil { tail = nil }
        Field.set(nil, after: node)
        return node
    }

    /// Moves all elements of `other` to the end of this queue.
    mutating func append(contentsOf other: inout PromiseQueue) {
        guard let first = other.head else { return }
        if let tail {
            Field.set(first, after: tail)
        } else {
            head = first
        }
        tail = other.tail
        other = PromiseQueue()
    }
}

/// The field of a promise that a queue runs through. A promise can be in two queues at once, one for each field.
protocol QueueField {
    static func get(after node: Node) -> Node?
    static func set(_ next: Node?, after node: Node)
}

/// The field for queues of links that are ready to run.
enum Ready: QueueField {
    static func get(after node: Node) -> Node? { node._withUnsafeGuaranteedRef { $0.next } }
    static func set(_ next: Node?, after node: Node) { node._withUnsafeGuaranteedRef { $0.next = next } }
}

/// The field for queues of settled promises that have handlers to run on the concurrent scheduler.
enum Busy: QueueField {
    static func get(after node: Node) -> Node? { node._withUnsafeGuaranteedRef { $0.nextBusy } }
    static func set(_ next: Node?, after node: Node) { node._withUnsafeGuaranteedRef { $0.nextBusy = next } }
}
