import Synchronization
import TangoPromise

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

        /// The error of invalid limits; nil if they are valid.
        var problem: String? {
            for (name, value) in [("total", total), ("perHost", perHost)] {
                if let value, value < 1 { return "Limiter.\(name) is \(value): set at least one, or nil for no limit" }
            }
            return queue.flatMap { $0 < 0 ? "Limiter.queue is \($0): set zero or more, or nil for no limit" : nil }
        }
    }

    fileprivate struct State {
        var limits: Limits
        var isSuspended = false
        var running = 0
        /// The servers with requests, and the last one.
        var servers: [ServerAddress: LimitedServer] = [:]
        var last: LimitedServer?
        var line = WaitingLine()
        /// The requests that were cancelled while they waited.
        var cancelled: [UnsafeContinuation<Void, any Error>] = []
        var isResuming = false
    }

    private let state: Mutex<State>
    private let isValid: Atomic<Bool>

    /// Creates a limiter. Nil is no limit.
    ///
    /// - Parameters:
    ///   - total: The highest number of requests at the same time.
    ///   - perHost: The highest number of requests to one host and port at the same time.
    ///   - queue: The highest number of requests that wait. Further ones fail with ``RequestError/Code/queueFull``.
    public init(total: Int? = nil, perHost: Int? = nil, queue: Int? = nil) {
        let limits = Limits(total: total, perHost: perHost, queue: queue)
        state = Mutex(State(limits: limits))
        isValid = Atomic(limits.problem == nil)
    }

    /// The highest number of requests at the same time. A lower one applies to later requests.
    public var total: Int? {
        get { state.withLock(\.limits.total) }
        set { setLimit { $0.total = newValue } }
    }

    /// The highest number of requests to one host and port at the same time. A lower one applies to later requests.
    public var perHost: Int? {
        get { state.withLock(\.limits.perHost) }
        set { setLimit { $0.perHost = newValue } }
    }

    /// The highest number of requests that wait. A lower one applies to later requests.
    public var queue: Int? {
        get { state.withLock(\.limits.queue) }
        set { setLimit { $0.queue = newValue } }
    }

    private func setLimit(_ set: (inout Limits) -> Void) {
        change { state in
            set(&state.limits)
            isValid.store(state.limits.problem == nil, ordering: .relaxed)
        }
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
    var problem: String? { isValid.load(ordering: .relaxed) ? nil : state.withLock(\.limits.problem) }

    // MARK: Slots

    /// Takes a slot if one is free and no request waits for it. Returns nil otherwise.
    func enter(_ address: ServerAddress) -> LimitedServer? {
        state.withLock { state in
            let server = state.server(at: address)
            return state.enter(server) ? server : nil
        }
    }

    /// The error of a request that may not wait.
    struct Full: Error {}

    /// Waits for a slot.
    ///
    /// - Throws: ``Full``, or `CancellationError` if the task is cancelled.
    func wait(for address: ServerAddress, _ priority: CallPriority, call: UInt64) async throws -> LimitedServer {
        let request = WaitingRequest(for: state.withLock { $0.expecting(at: address) }, call: call, priority)
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                let refusal = state.withLock { state -> (any Error)? in
                    request.server.expected -= 1
                    // The handler may have run before there was anything to remove.
                    guard !Task.isCancelled else { return CancellationError() }
                    if let limit = state.limits.queue, state.line.count >= limit { return Full() }
                    state.line.append(request, continuation)
                    return nil
                }
                if let refusal { return continuation.resume(throwing: refusal) }
                // A slot may have become free meanwhile.
                change { _ in }
            }
        } onCancel: {
            cancel(request)
        }
        return request.server
    }

    /// Cancels a request that waits.
    ///
    /// Its task is resumed by another thread, with those of the requests that are cancelled meanwhile: waking a task
    /// takes longer than the rest.
    private func cancel(_ request: WaitingRequest) {
        let isFirst = state.withLock { state in
            guard let continuation = state.remove(request) else { return false }
            state.cancelled.append(continuation)
            return replace(&state.isResuming, with: true) == false
        }
        if isFirst { Scheduler.inBackground { [self] in resumeCancelled() } }
    }

    private func resumeCancelled() {
        while true {
            let continuations = state.withLock { state in
                state.isResuming = !state.cancelled.isEmpty
                return replace(&state.cancelled, with: [])
            }
            guard !continuations.isEmpty else { return }
            for continuation in continuations { continuation.resume(throwing: CancellationError()) }
        }
    }

    /// Returns a slot.
    func leave(_ server: LimitedServer) {
        change { $0.leave(server) }
    }

    /// Changes the priority of the requests of a call that wait: see ``WaitingLine/setPriority(_:of:isLeast:)``.
    func setPriority(_ priority: CallPriority, of call: UInt64, isLeast: Bool = false) {
        state.withLock { $0.line.setPriority(priority, of: call, isLeast: isLeast) }
    }

    /// Makes a change, and gives the slots that are free then to requests that wait.
    private func change(_ change: (inout State) -> Void) {
        let admitted = state.withLock { state in
            change(&state)
            return state.admitted()
        }
        for continuation in admitted { continuation.resume() }
    }
}

extension Limiter.State {
    /// Returns the server with an address. The last one is found without hashing its name.
    fileprivate mutating func server(at address: ServerAddress) -> LimitedServer {
        if let last, last.address == address { return last }
        let server = servers[address] ?? LimitedServer(address)
        servers[address] = server
        let old = replace(&last, with: server)
        if let old { forget(old) }
        return server
    }

    /// Returns the server with an address, for a request that is about to wait.
    fileprivate mutating func expecting(at address: ServerAddress) -> LimitedServer {
        let server = server(at: address)
        server.expected += 1
        return server
    }

    /// Forgets a server that has no requests.
    private mutating func forget(_ server: LimitedServer) {
        if server.isIdle, server !== last, servers[server.address] === server { servers[server.address] = nil }
    }

    private func hasSlot(for server: LimitedServer) -> Bool {
        limits.perHost.map { server.running < $0 } ?? true
    }

    private var hasSlot: Bool { !isSuspended && limits.total.map { running < $0 } ?? true }

    fileprivate mutating func enter(_ server: LimitedServer) -> Bool {
        guard hasSlot, hasSlot(for: server), server.waiting == 0 else { return false }
        take(server)
        return true
    }

    private mutating func take(_ server: LimitedServer) {
        running += 1
        server.running += 1
    }

    fileprivate mutating func leave(_ server: LimitedServer) {
        running -= 1
        server.running -= 1
        forget(server)
    }

    fileprivate mutating func remove(_ request: WaitingRequest) -> UnsafeContinuation<Void, any Error>? {
        defer { forget(request.server) }
        return line.remove(request)
    }

    /// Takes slots for the next requests that wait and may be sent.
    fileprivate mutating func admitted() -> [UnsafeContinuation<Void, any Error>] {
        guard line.count > 0 else { return [] }
        var admitted: [UnsafeContinuation<Void, any Error>] = []
        while hasSlot, let next = line.next(of: servers.values.lazy.filter(hasSlot(for:))) {
            take(next.request.server)
            admitted.append(next.continuation)
        }
        return admitted
    }
}
