import Synchronization

/// The calls of a client that are in flight. The registry retains them.
///
/// They form a ring through the calls themselves, so that the start and the end of a call cost a few stores.
final class CallRegistry: Sendable {
    /// The neighbours of a call in the ring; nil while it is not in flight.
    struct Entry {
        fileprivate var next: Unmanaged<CallCore>?
        fileprivate var previous: Unmanaged<CallCore>?
    }

    fileprivate struct State: ~Copyable {
        var first: Unmanaged<CallCore>?
        var count = 0
        /// The calls with each tag, by their numbers.
        var tagged: [String: [UInt64: CallCore]] = [:]
        var isShutDown = false
        var emptyWaiters: [UnsafeContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    /// The number of calls that have left, and whose promises and callbacks are being notified.
    private let settling = Atomic<Int>(0)
    private let isClosing = Atomic<Bool>(false)
    private let activity = ActivityBroadcast()

    /// Adds a call. Returns false if the client was shut down.
    func enter(_ call: CallCore) -> Bool {
        let count = state.withLock { state -> Int? in
            guard !state.isShutDown else { return nil }
            state.add(call)
            return state.count
        }
        guard let count else { return false }
        GlobalActivity.change(by: 1)
        if count == 1 { notifyActivity() }
        return true
    }

    func leave(_ call: CallCore) {
        let (wasThere, isEmpty) = state.withLock { state in
            settling.add(1, ordering: .relaxed)
            return (state.remove(call), state.count == 0)
        }
        guard wasThere else { return }
        GlobalActivity.change(by: -1)
        if isEmpty { notifyActivity() }
    }

    /// Records that the promise and the callbacks of a call have been notified, after it has left.
    func settled() {
        let rest = settling.subtract(1, ordering: .sequentiallyConsistent).newValue
        guard rest == 0, isClosing.load(ordering: .sequentiallyConsistent) else { return }
        for waiter in takeWaiters() { waiter.resume() }
    }

    private func takeWaiters() -> [UnsafeContinuation<Void, Never>] {
        state.withLock { state in
            guard isEmpty(state) else { return [] }
            defer { state.emptyWaiters = [] }
            return state.emptyWaiters
        }
    }

    private func isEmpty(_ state: borrowing State) -> Bool {
        state.count == 0 && settling.load(ordering: .sequentiallyConsistent) == 0
    }

    private func notifyActivity() { activity.deliver { count } }

    /// The number of calls now, and after each change to zero or from zero.
    var activityValues: AsyncStream<Int> { activity.values { count } }

    var all: [CallCore] {
        state.withLock { $0.calls }
    }

    /// The calls with a tag, in the order in which they started.
    func calls(tagged tag: String) -> [CallCore] {
        let calls = state.withLock { $0.tagged[tag] ?? [:] }
        return calls.values.ordered { $0.id < $1.id }
    }

    var count: Int { state.withLock { $0.count } }

    // MARK: The end

    var isShutDown: Bool { isClosing.load(ordering: .sequentiallyConsistent) }

    func shutDown() -> [CallCore] {
        isClosing.store(true, ordering: .sequentiallyConsistent)
        return state.withLock { state in
            state.isShutDown = true
            return state.calls
        }
    }

    /// Returns once no call is in flight and all have settled. Call it after ``shutDown()``.
    func empty() async {
        await withUnsafeContinuation { continuation in
            state.withLock { $0.emptyWaiters.append(continuation) }
            for waiter in takeWaiters() { waiter.resume() }
        }
    }
}

extension CallRegistry.State {
    fileprivate mutating func add(_ call: CallCore) {
        let node = Unmanaged.passRetained(call)
        let first = first ?? node
        let last = self.first == nil ? node : first._withUnsafeGuaranteedRef { $0.entry.previous ?? first }
        call.entry = CallRegistry.Entry(next: first, previous: last)
        last._withUnsafeGuaranteedRef { $0.entry.next = node }
        first._withUnsafeGuaranteedRef { $0.entry.previous = node }
        self.first = first
        count += 1
        for tag in call.plan.tags { tagged[tag, default: [:]][call.id] = call }
    }

    /// Returns true if the call was in the ring.
    fileprivate mutating func remove(_ call: CallCore) -> Bool {
        guard let next = call.entry.next, let previous = call.entry.previous else { return false }
        previous._withUnsafeGuaranteedRef { $0.entry.next = next }
        next._withUnsafeGuaranteedRef { $0.entry.previous = previous }
        call.entry = CallRegistry.Entry()
        count -= 1
        for tag in call.plan.tags {
            tagged[tag]?[call.id] = nil
            if tagged[tag]?.isEmpty == true { tagged[tag] = nil }
        }
        let node = Unmanaged.passUnretained(call)
        if count == 0 { first = nil } else if first?.toOpaque() == node.toOpaque() { first = next }
        node.release()
        return true
    }

    /// The calls, in the order in which they started.
    fileprivate var calls: [CallCore] {
        var calls: [CallCore] = []
        var node = first
        for _ in 0..<count {
            guard let call = node?.takeUnretainedValue() else { break }
            calls.append(call)
            node = call.entry.next
        }
        return calls
    }
}

/// Notifies its followers whether calls are in flight. Without followers, a change costs one load.
final class ActivityBroadcast: Sendable {
    private let isFollowed = Atomic<Bool>(false)
    private let lazyBroadcast = LazyReference<Broadcast<Int>>()

    private var broadcast: Broadcast<Int> { lazyBroadcast.object { Broadcast(0, keepsAll: false) } }

    /// Delivers the number of calls after it has changed to zero, or from zero.
    func deliver(_ count: () -> Int) {
        guard isFollowed.load(ordering: .sequentiallyConsistent) else { return }
        broadcast.update { value in
            let new = count()
            guard (new == 0) != (value == 0) else { return false }
            value = new
            return true
        }
    }

    /// Returns the number now, and after each change to zero or from zero. Each value is such a change.
    func values(_ count: () -> Int) -> AsyncStream<Int> {
        // Before the number is read, so that no later change is missed.
        isFollowed.store(true, ordering: .sequentiallyConsistent)
        deliver(count)
        return broadcast.values.alternating
    }
}

extension AsyncStream<Int> {
    /// The numbers that follow zero, and each zero that follows another number. A slow reader misses values, so two in
    /// a row may be alike.
    fileprivate var alternating: Self {
        let last = Mutex<Bool?>(nil)
        return AsyncStream {
            var numbers = makeAsyncIterator()
            while let number = await numbers.next() {
                let isChange = last.withLock { replace(&$0, with: number == 0) != (number == 0) }
                if isChange { return number }
            }
            return nil
        }
    }
}
