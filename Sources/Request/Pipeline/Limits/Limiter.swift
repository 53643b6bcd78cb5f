import Synchronization

/// A limit for the number of requests that are sent at the same time. Any number of clients can share one.
///
/// ```swift
/// let limiter = Limiter(total: 64, perHost: 6)
/// let client = Client(baseURL: url) { $0.limiter = limiter }
/// limiter.perHost = 2
/// ```
///
/// Further requests wait. The state of their calls is ``CallState/queued``. A request has its slot from connecting to the
/// end of its response, also of a streamed one, and not while it waits for a retry.
///
/// Those with the highest ``Request/priority`` are sent first, in the order in which they came. Every eighth slot goes to
/// the request that has waited for the longest time, so that a low priority never waits forever. A host whose limit is
/// reached does not delay the requests for other hosts.
public final class Limiter: Sendable {
    struct Limits: Sendable {
        var total: Int?
        var perHost: Int?
        var queue: Int?
    }

    fileprivate struct State {
        var limits: Limits
        var isSuspended = false
        var running = 0
        var runningByServer: [ServerAddress: Int] = [:]
        var line = WaitingLine()
    }

    private let state: Mutex<State>

    /// Creates a limiter. Nil is no limit.
    ///
    /// - Parameters:
    ///   - total: The highest number of requests at the same time.
    ///   - perHost: The highest number of requests to one host and port at the same time.
    ///   - queue: The highest number of requests that wait. Further ones fail with ``RequestError/Code/queueFull``.
    public init(total: Int? = nil, perHost: Int? = nil, queue: Int? = nil) {
        state = Mutex(State(limits: Limits(total: total, perHost: perHost, queue: queue)))
    }

    /// The highest number of requests at the same time. A lower one applies to later requests.
    public var total: Int? {
        get { state.withLock(\.limits.total) }
        set { change { $0.limits.total = newValue } }
    }

    /// The highest number of requests to one host and port at the same time. A lower one applies to later requests.
    public var perHost: Int? {
        get { state.withLock(\.limits.perHost) }
        set { change { $0.limits.perHost = newValue } }
    }

    /// The highest number of requests that wait. A lower one applies to later requests.
    public var queue: Int? {
        get { state.withLock(\.limits.queue) }
        set { change { $0.limits.queue = newValue } }
    }

    /// The number of requests that are sent at the moment.
    public var running: Int { state.withLock(\.running) }
    /// The number of requests that wait at the moment.
    public var waiting: Int { state.withLock(\.line.count) }

    /// A Boolean value that indicates whether no request is sent until ``resume()``.
    public var isSuspended: Bool { state.withLock(\.isSuspended) }

    /// Lets all further requests wait. Those that are being sent go on.
    public func suspend() {
        change { $0.isSuspended = true }
    }

    /// Sends the requests that wait.
    public func resume() {
        change { $0.isSuspended = false }
    }

    /// The error of invalid limits; nil if they are valid.
    var problem: String? {
        let limits = state.withLock(\.limits)
        for (name, value) in [("total", limits.total), ("perHost", limits.perHost)] {
            if let value, value < 1 { return "Limiter.\(name) is \(value): set at least one, or nil for no limit" }
        }
        return limits.queue.flatMap { $0 < 0 ? "Limiter.queue is \($0): set zero or more, or nil for no limit" : nil }
    }

    // MARK: Slots

    /// Takes a slot if one is free and no request waits for it.
    func enter(_ server: ServerAddress) -> Bool {
        state.withLock { $0.enter(server) }
    }

    /// The error of a request that may not wait.
    struct Full: Error {}

    /// Waits for a slot.
    ///
    /// - Throws: ``Full``, or `CancellationError` if the task is cancelled.
    func wait(for server: ServerAddress, _ priority: CallPriority, call: UInt64) async throws {
        let place = state.withLock { $0.line.takePlace() }
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                let waiter = WaitingLine.Waiter(
                    server: server, call: call, priority: priority, continuation: continuation)
                let refusal = state.withLock { state -> (any Error)? in
                    // The handler may have run before there was anything to remove.
                    guard !Task.isCancelled else { return CancellationError() }
                    if let limit = state.limits.queue, state.line.count >= limit { return Full() }
                    state.line.append(waiter, at: place)
                    return nil
                }
                if let refusal { return continuation.resume(throwing: refusal) }
                // A slot may have become free meanwhile.
                change { _ in }
            }
        } onCancel: {
            state.withLock { $0.line.remove(at: place) }?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Returns a slot.
    func leave(_ server: ServerAddress) {
        change { $0.leave(server) }
    }

    /// Changes the priority of the requests of a call that wait.
    func setPriority(_ priority: CallPriority, of call: UInt64) {
        state.withLock { $0.line.setPriority(priority, of: call) }
    }

    /// Makes a change, and gives the slots that are free then to requests that wait.
    private func change(_ change: (inout State) -> Void) {
        let admitted = state.withLock { state in
            change(&state)
            return state.admitted()
        }
        for waiter in admitted { waiter.continuation.resume() }
    }
}

extension Limiter.State {
    private func hasSlot(for server: ServerAddress) -> Bool {
        guard let limit = limits.perHost else { return true }
        return runningByServer[server, default: 0] < limit
    }

    private var hasSlot: Bool { !isSuspended && limits.total.map { running < $0 } ?? true }

    fileprivate mutating func enter(_ server: ServerAddress) -> Bool {
        guard hasSlot, hasSlot(for: server), !line.contains(server) else { return false }
        take(server)
        return true
    }

    private mutating func take(_ server: ServerAddress) {
        running += 1
        runningByServer[server, default: 0] += 1
    }

    fileprivate mutating func leave(_ server: ServerAddress) {
        running -= 1
        guard let count = runningByServer[server] else { return }
        runningByServer[server] = count > 1 ? count - 1 : nil
    }

    /// Takes slots for the next requests that wait and may be sent.
    fileprivate mutating func admitted() -> [WaitingLine.Waiter] {
        var admitted: [WaitingLine.Waiter] = []
        while hasSlot, let waiter = line.next(where: hasSlot(for:)) {
            take(waiter.server)
            admitted.append(waiter)
        }
        return admitted
    }
}
