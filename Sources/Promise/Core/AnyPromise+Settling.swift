extension AnyPromise {
    /// Attaches a link that was created for this promise.
    @usableFromInline
    final func add(_ consumer: AnyPromise) {
        let node = Unmanaged.passRetained(consumer)
        let isPending = locked {
            marks.insert(.observed)
            if phase.isSettled { return false }
            consumers.append(node)
            return true
        }
        if isPending { return }
        Drain.handingOver { drain in
            locked { drain.pointee.accept(node, of: self, isLate: true) }
        }
    }

    /// Attaches a consumer that another thread may cancel meanwhile.
    final func attach(_ consumer: AnyPromise) {
        add(consumer)
        // If it was cancelled before it was attached, it has not left this promise yet.
        if consumer.phase == .cancelled { consumer.leave(self) }
    }

    /// Runs a link whose source has settled.
    final func advance() {
        let wait = locked { () -> Wait? in
            guard phase == .waiting else { return nil }
            phase = traits.contains(.watcher) ? .cancelled : .running
            return slot.take(as: Wait.self)
        }
        guard let wait else { return }
        if traits.contains(.watcher) {
            sourceSettled(wait.source)
        } else if let handler = wait.handler, traits.want(wait.source.phase) {
            do {
                try handler(self, wait.source)
            } catch {
                reject(error)
            }
        } else {
            takeOver(wait.source)
        }
    }

    // MARK: Settling by the thread that runs the promise

    @inlinable
    final func fulfill<Value>(_ value: consuming Value) {
        slot.store(value)
        if !finish(.fulfilled, isPlain: Slot.forgets(Value.self)) {
            _ = slot.take(as: Value.self)
        }
    }

    /// Fulfils a promise that no other thread can know yet.
    @inlinable
    final func fulfillUnshared<Value>(_ value: consuming Value) {
        slot.store(value)
        beFulfilled(isPlain: Slot.forgets(Value.self))
    }

    @usableFromInline
    final func beFulfilled(isPlain: Bool) {
        outcome = isPlain ? .plain : []
        phase = .fulfilled
    }

    /// Fulfils an open promise, unless it is settled or claimed.
    @inlinable
    final func fulfillOpen<Value>(_ value: consuming Value) {
        let value = value
        settleOpen(isPlain: Slot.forgets(Value.self)) { $0.store(value) }
    }

    /// `claim` and `finish` in one step. The slot is filled under the lock.
    @usableFromInline
    final func settleOpen(isPlain: Bool, _ fill: (inout Slot) -> Void) {
        guard let drain = Drain.current else {
            return Drain.inNewPass { drain in settleOpen(isPlain: isPlain, fill, in: drain) }
        }
        settleOpen(isPlain: isPlain, fill, in: drain)
        drain.pass()
    }

    private final func settleOpen(
        isPlain: Bool, _ fill: (inout Slot) -> Void, in drain: UnsafeMutablePointer<Drain>
    ) {
        var producer: Producer?
        locked {
            guard phase == .open else { return }
            producer = slot.take(as: Producer.self)
            fill(&slot)
            outcome = isPlain ? .plain : []
            settle(as: .fulfilled, in: drain)
        }
        withExtendedLifetime(producer) {}  // released out here, where it may run code of the user's
    }

    @usableFromInline
    final func reject(_ error: any Error) {
        if error is CancellationError {
            finish(.cancelled)
        } else {
            reject(error, isHandled: false)
        }
    }

    final func reject(_ error: any Error, isHandled: Bool) {
        slot.place(error: error)
        if !finish(.rejected, isHandled: isHandled) {
            _ = slot.take(as: (any Error).self)
        }
    }

    /// Settles with the outcome of `source`, which has settled and has the same type.
    @usableFromInline
    final func takeOver(_ source: AnyPromise, isHandled: Bool = false) {
        switch source.phase {
        case .fulfilled:
            copyValue(of: source)
            if !finish(.fulfilled, isPlain: source.outcome.contains(.plain)) { destroyValue() }
        case .rejected:
            reject(source.error, isHandled: isHandled || source.outcome.contains(.handled))
        default:
            finish(.cancelled)
        }
    }

    /// Publishes the outcome in the slot. Returns false if the promise was cancelled meanwhile.
    @usableFromInline
    @discardableResult
    final func finish(_ phase: Phase, isPlain: Bool = false, isHandled: Bool = false) -> Bool {
        let outcome: Outcome = isPlain ? .plain : isHandled ? .handled : []
        // Does not use `handingOver`: its two uses of one closure cost a retain on this hottest of paths.
        guard let drain = Drain.current else { return finishInNewPass(phase, outcome) }
        let isOurs = finish(phase, outcome, in: drain)
        drain.pass()
        return isOurs
    }

    @inline(never)
    private final func finishInNewPass(_ phase: Phase, _ outcome: Outcome) -> Bool {
        Drain.inNewPass { drain in finish(phase, outcome, in: drain) }
    }

    @inline(__always)
    private final func finish(_ phase: Phase, _ outcome: Outcome, in drain: UnsafeMutablePointer<Drain>) -> Bool {
        locked {
            guard self.phase == .running else { return false }
            self.outcome = outcome
            settle(as: phase, in: drain)
            return true
        }
    }

    /// Changes the phase to settled and hands over the consumers. The caller holds the lock.
    final func settle(as phase: Phase, in drain: UnsafeMutablePointer<Drain>) {
        self.phase = phase
        var waiting = consumers
        consumers = Consumers()
        while let node = waiting.popFirst() {
            drain.pointee.accept(node, of: self, isLate: false)
        }
    }
}

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

    /// The consumer, if there is exactly one.
    var only: AnyPromise? {
        guard let head, head.next?.toOpaque() == head.toOpaque() else { return nil }
        return head.takeUnretainedValue()
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
