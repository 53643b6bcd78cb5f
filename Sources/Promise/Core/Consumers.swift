/// A promise that is retained by a list or a queue. Code that removes it must release it or pass it on.
typealias Node = Unmanaged<AnyPromise>

/// The consumers of a promise in the order in which they were attached. The ring runs through the consumers themselves,
/// so that adding and removing cost a few stores and no allocation.
struct Consumers {
    private var head: Node?

    var isEmpty: Bool { head == nil }

    mutating func append(_ node: Node) {
        guard let head else {
            node.links(next: node, previous: node)
            self.head = node
            return
        }
        let last = head.previous ?? head
        node.links(next: head, previous: last)
        last.next = node
        head.previous = node
    }

    mutating func prepend(_ node: Node) {
        append(node)
        head = node
    }

    /// Removes a consumer if it is in a list, which must then be this one.
    mutating func remove(_ consumer: AnyPromise) -> Node? {
        let node = Unmanaged.passUnretained(consumer)
        // Check `previous` first: a link in a queue has none, and its `next` belongs to the queue.
        guard let previous = node.previous, let next = node.next else { return nil }
        if next.toOpaque() == node.toOpaque() {
            head = nil
        } else {
            previous.next = next
            next.previous = previous
            if head?.toOpaque() == node.toOpaque() { head = next }
        }
        node.links(next: nil, previous: nil)
        return node
    }

    /// Removes the consumer if it is the only one, has no handler, and satisfies `condition`.
    mutating func popOnlyFollower(where condition: (AnyPromise) -> Bool) -> Node? {
        guard let head, head.next?.toOpaque() == head.toOpaque() else { return nil }
        let isFound = head._withUnsafeGuaranteedRef { $0.traits.isEmpty && condition($0) }
        return isFound ? popFirst() : nil
    }

    /// Calls `body` with each consumer. Returns false if there are more than `limit`.
    func visit(atMost limit: Int, _ body: (AnyPromise) -> Void) -> Bool {
        var node = head
        var count = 0
        while let current = node {
            guard count < limit else { return false }
            count += 1
            body(current.takeUnretainedValue())
            node = current.next?.toOpaque() == head?.toOpaque() ? nil : current.next
        }
        return true
    }

    mutating func popFirst() -> Node? {
        guard let head else { return nil }
        return head._withUnsafeGuaranteedRef { remove($0) }
    }
}

extension Unmanaged<AnyPromise> {
    fileprivate(set) var next: Node? {
        get { _withUnsafeGuaranteedRef { $0.next } }
        nonmutating set { _withUnsafeGuaranteedRef { $0.next = newValue } }
    }

    fileprivate(set) var previous: Node? {
        get { _withUnsafeGuaranteedRef { $0.previous } }
        nonmutating set { _withUnsafeGuaranteedRef { $0.previous = newValue } }
    }

    fileprivate func links(next: Node?, previous: Node?) {
        self.next = next
        self.previous = previous
    }
}
