import Dispatch
import Synchronization

/// Delivers the events of all calls of one client, on threads that serve nothing else.
///
/// Calls that have events wait in line, and one thread at a time delivers those of a call. While calls wait, one more thread is
/// started, up to a limit, so that an observer that blocks for one call does not hold up the others. The threads of Dispatch's
/// global queue and of tasks are too few for that: blocked observers would take them from the whole process.
final class EventQueue: Sendable {
    fileprivate typealias Element = (events: CallEvents, core: CallCore?)

    fileprivate struct State: ~Copyable {
        var line = Queue<Element>()
        /// Idle queues of Dispatch, each with a thread of its own.
        var idle: [DispatchQueue] = []
        var busyCount = 0
        /// A Boolean value that indicates whether a thread was started that has not read the line yet.
        var isStarting = false
        var waiters: [UnsafeContinuation<Void, Never>] = []
    }

    /// The number of calls of a client for which observers may block at a time before other calls have to wait.
    static let width = 8

    private let state = Mutex(State())

    /// Adds a call that has events.
    ///
    /// - Parameter core: The call, which the queue holds until its events have been delivered; nil if something else holds it.
    func add(_ events: CallEvents, of core: CallCore?) {
        let queue = state.withLock { state in
            state.line.append((events, core))
            return state.takeIdle()
        }
        if let queue { start(queue) }
    }

    /// Returns once the line is empty and all observers have returned.
    func deliverAll() async {
        await withUnsafeContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.busyCount > 0 { state.waiters.append(continuation) }
                return state.busyCount == 0
            }
            if isIdle { continuation.resume() }
        }
    }

    private func start(_ queue: DispatchQueue) {
        queue.async { self.work(on: queue) }
    }

    private func work(on queue: DispatchQueue) {
        state.withLock { $0.isStarting = false }
        while let (events, core) = next(on: queue) { events.deliver(of: core) }
    }

    private func next(on queue: DispatchQueue) -> Element? {
        let (next, other, waiters) = state.withLock { state in
            guard let next = state.line.popFirst() else {
                return (Element?.none, DispatchQueue?.none, state.leave(queue))
            }
            return (next, state.takeIdle(), [])
        }
        if let other { start(other) }
        for waiter in waiters { waiter.resume() }
        return next
    }
}

extension EventQueue.State {
    /// Returns a thread to start, if calls wait and there is one.
    fileprivate mutating func takeIdle() -> DispatchQueue? {
        guard !line.isEmpty, !isStarting, busyCount < EventQueue.width else { return nil }
        isStarting = true
        busyCount += 1
        return idle.popLast() ?? DispatchQueue(label: "tango.events")
    }

    /// Gives a thread back. If it was the last one, returns those who wait for the end.
    fileprivate mutating func leave(_ queue: DispatchQueue) -> [UnsafeContinuation<Void, Never>] {
        idle.append(queue)
        busyCount -= 1
        guard busyCount == 0 else { return [] }
        defer { waiters = [] }
        return waiters
    }
}
