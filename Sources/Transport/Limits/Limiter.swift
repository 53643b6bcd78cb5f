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
/// Those with the highest ``Request/priority`` are sent first. Calls of the same priority are sent in the order in which
/// a thread has started them, so that a limit of one is a serial queue. Every eighth slot goes to the request that has
/// waited for the longest time, so that a low priority never waits forever. A host whose limit is reached does not delay
/// the requests for other hosts.
///
/// A limit below one, or a negative ``queue``, is a mistake. The requests that wait then fail with
/// ``RequestError/Code/badPolicy``, and so do all later ones until the limit is valid.
///
/// A call gets its place in the line when it starts. It keeps the place while its body is encoded, its observers are
/// notified and its interceptors run. A call that waits for a token, for a network, or for another call in an interceptor
/// lets later calls pass. After the wait, it is again before the later calls that have no slot yet. A retry, or the next
/// request of a redirect, goes to the end of the line.
public final class Limiter: Sendable {
    struct Limits: Sendable {
        var total: Int?
        var perHost: Int?
        var queue: Int?

        /// The error of invalid limits; nil if they are valid.
        var problem: String? {
            SettingProblem.low("Limiter.total", total, isLimit: true)
                ?? SettingProblem.low("Limiter.perHost", perHost, isLimit: true)
                ?? SettingProblem.low("Limiter.queue", queue, least: 0, isLimit: true)
        }
    }

    fileprivate struct State {
        var limits: Limits
        var isSuspended = false
        /// The number of requests that have a slot.
        var running = 0
        /// The requests with a slot that are yet to arrive, the one with the last place first.
        var reservations = Heap<WaitingRequest>(
            { $1.isBefore($0, byPlace: true) }, setIndex: { $0.reservation = $1 })
        /// The servers with requests, and the last one.
        var servers: [ServerAddress: LimitedServer] = [:]
        var last: LimitedServer?
        var line: WaitingLine
        /// The requests that were cancelled while they waited.
        var cancelled: [SlotCompletion] = []
        var isResuming = false

        init(_ limits: Limits) {
            self.limits = limits
            line = WaitingLine(perHost: limits.perHost)
        }
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
        state = Mutex(State(limits))
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
        var refused: [SlotCompletion] = []
        change { state in
            set(&state.limits)
            state.line.setPerHost(state.limits.perHost, of: state.servers.values)
            let isValid = state.limits.problem == nil
            self.isValid.store(isValid, ordering: .relaxed)
            if !isValid { refused = state.line.removeArrived() }
        }
        for completion in refused { completion(.failure(Invalid())) }
    }

    /// The number of requests that are sent at the moment.
    public var running: Int { state.withLock { $0.running - $0.reservations.count } }
    /// The number of requests that wait at the moment.
    public var waiting: Int { state.withLock(\.line.arrived) }

    /// A Boolean value that indicates whether no request is sent until ``resume()``.
    public var isSuspended: Bool { state.withLock(\.isSuspended) }

    /// Lets all further requests wait. Those that are being sent go on.
    public func suspend() {
        change { $0.suspend() }
    }

    /// Sends the requests that wait.
    public func resume() {
        change { $0.isSuspended = false }
    }

    /// The error of invalid limits; nil if they are valid.
    package var problem: String? { isValid.load(ordering: .relaxed) ? nil : state.withLock(\.limits.problem) }

    // MARK: Slots

    /// Takes a slot if one is free and no request waits for it. Returns nil otherwise.
    package func enter(_ address: ServerAddress) -> LimitedServer? {
        state.withLock { state in
            let server = state.server(at: address)
            return state.enter(server) ? server : nil
        }
    }

    /// The error of a request that may not wait.
    package struct Full: Error {}

    /// The error of a request that waits when a limit becomes invalid.
    package struct Invalid: Error {
        package init() {}
    }

    fileprivate enum Arrival {
        case waits
        case enters
        case isRefused(any Error)
    }

    /// Waits for a slot.
    ///
    /// - Parameter request: A request that has not arrived yet.
    /// - Throws: ``Full``, ``Invalid``, or `CancellationError` if the task is cancelled.
    package func wait(for request: WaitingRequest, _ priority: CallPriority) async throws -> LimitedServer {
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                wait(for: request, priority) { continuation.resume(with: $0) }
            }
        } onCancel: {
            cancel(request)
        }
        return request.server
    }

    /// Waits for a slot, without a task.
    ///
    /// - Parameters:
    ///   - request: A request that has not arrived yet. After a success, its server is that of its slot.
    ///   - completion: Called once, at once or by the thread that makes a slot free, unless ``withdraw(_:)`` removes the request. A
    ///     request that was withdrawn before fails with `CancellationError`.
    package func wait(for request: WaitingRequest, _ priority: CallPriority, completion: @escaping SlotCompletion) {
        var arrival = Arrival.waits
        change { arrival = $0.arrive(request, priority, completion) }
        switch arrival {
        case .waits: break
        case .enters: completion(.success(()))
        case .isRefused(let error): completion(.failure(error))
        }
    }

    /// Cancels a request for which a task waits.
    ///
    /// Its task is resumed by another thread, with those of the requests that are cancelled meanwhile: waking a task
    /// takes longer than the rest.
    private func cancel(_ request: WaitingRequest) {
        var isFirst = false
        change { state in
            guard let completion = state.withdraw(request) else { return }
            state.cancelled.append(completion)
            isFirst = replace(&state.isResuming, with: true) == false
        }
        if isFirst { Scheduler.inBackground { [self] in resumeCancelled() } }
    }

    private func resumeCancelled() {
        while true {
            let completions = state.withLock { state in
                state.isResuming = !state.cancelled.isEmpty
                return replace(&state.cancelled, with: [])
            }
            guard !completions.isEmpty else { return }
            for completion in completions { completion(.failure(CancellationError())) }
        }
    }

    /// Returns a slot.
    package func leave(_ server: LimitedServer) {
        change { $0.leave(server) }
    }

    // MARK: Requests that are yet to arrive

    /// Returns a request that is yet to arrive. It gets its place with ``approach(_:)``.
    package func expect(_ address: ServerAddress, call: UInt64, _ priority: CallPriority) -> WaitingRequest {
        state.withLock { WaitingRequest(for: $0.server(at: address), call: call, priority) }
    }

    /// Notes that a step of a call begins that brings its request to the line. It has a place until the last step ends.
    package func approach(_ request: WaitingRequest) {
        guard !request.isOver.load(ordering: .relaxed) else { return }
        change { $0.approach(request) }
    }

    /// Notes the end of a step. If it was the last one, the call waits for something, and gives way.
    package func pause(_ request: WaitingRequest) {
        guard !request.isOver.load(ordering: .relaxed) else { return }
        change { $0.pause(request) }
    }

    /// Returns the server of a request that has arrived, if it has a slot or gets one at once.
    package func claim(_ request: WaitingRequest, at address: ServerAddress) -> LimitedServer? {
        var isMoved = false
        let server = state.withLock { state in
            isMoved = request.server.address != address
            return state.claim(request, at: address)
        }
        // The server that was expected may have a free slot now.
        if isMoved { change { _ in } }
        return server
    }

    /// Removes a request that needs no slot any more, unless it has one. Its completion is not called.
    package func withdraw(_ request: WaitingRequest) {
        var completion: SlotCompletion?
        change { completion = $0.withdraw(request) }
        // Released outside the lock.
        withExtendedLifetime(completion) {}
    }

    /// Gives a request that is yet to arrive to another call.
    package func assign(_ request: WaitingRequest, to call: UInt64) {
        state.withLock { $0.assign(request, to: call) }
    }

    // MARK: Changes

    /// Changes the priority of the requests of a call that wait: see ``WaitingLine/setPriority(_:of:isLeast:)``.
    package func setPriority(_ priority: CallPriority, of call: UInt64, isLeast: Bool = false) {
        state.withLock { $0.line.setPriority(priority, of: call, isLeast: isLeast) }
    }

    /// Makes a change, and gives the slots that are free then to requests that wait.
    private func change(_ change: (inout State) -> Void) {
        let admitted = state.withLock { state in
            change(&state)
            return state.admitted()
        }
        for completion in admitted { completion(.success(())) }
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

    /// Forgets a server that has no requests.
    private mutating func forget(_ server: LimitedServer) {
        if server.isIdle, server !== last, servers[server.address] === server { servers[server.address] = nil }
    }

    private var hasSlot: Bool { !isSuspended && limits.total.map { running < $0 } ?? true }

    fileprivate mutating func enter(_ server: LimitedServer) -> Bool {
        guard hasSlot, line.hasSlot(for: server), server.waiting == 0 else { return false }
        take(server)
        return true
    }

    private mutating func take(_ server: LimitedServer) {
        running += 1
        line.changeRunning(of: server, by: 1)
    }

    fileprivate mutating func leave(_ server: LimitedServer) {
        running -= 1
        line.changeRunning(of: server, by: -1)
        forget(server)
    }

    /// Adds a request to the line as one that has arrived, unless it has a slot.
    fileprivate mutating func arrive(
        _ request: WaitingRequest, _ priority: CallPriority, _ completion: @escaping SlotCompletion
    ) -> Limiter.Arrival {
        var refusal: (any Error)?
        // It may have been cancelled before it arrived.
        if request.isOver.load(ordering: .relaxed) { refusal = CancellationError() }
        if limits.problem != nil { refusal = Limiter.Invalid() }
        if let limit = limits.queue, line.arrived >= limit, request.reservation == nil { refusal = Limiter.Full() }
        if let refusal {
            withdraw(request)
            return .isRefused(refusal)
        }
        if endReservation(of: request) {
            request.isOver.store(true, ordering: .relaxed)
            return .enters
        }
        line.setPriority(priority, of: request)
        if request.isInLine {
            line.arrive(request, completion)
        } else {
            request.server = server(at: request.server.address)
            line.append(request, completion)
        }
        return .waits
    }

    /// Takes slots for the next requests that may be sent. Returns the completions of those that have arrived.
    fileprivate mutating func admitted() -> [SlotCompletion] {
        var admitted: [SlotCompletion] = []
        while hasSlot, let next = line.next() {
            take(next.request.server)
            if let completion = next.completion {
                next.request.isOver.store(true, ordering: .relaxed)
                admitted.append(completion)
            } else {
                reserve(for: next.request)
            }
        }
        return admitted
    }

    // MARK: Requests that are yet to arrive

    private mutating func reserve(for request: WaitingRequest) {
        reservations.insert(request)
    }

    /// Returns whether a request had a slot that was reserved for it.
    private mutating func endReservation(of request: WaitingRequest) -> Bool {
        guard let index = request.reservation else { return false }
        reservations.remove(at: index)
        return true
    }

    /// Returns the reserved slot of a request, or takes it from the line. Returns the completion of one that has arrived.
    @discardableResult
    private mutating func giveWay(_ request: WaitingRequest) -> SlotCompletion? {
        if endReservation(of: request) {
            leave(request.server)
            return nil
        }
        defer { forget(request.server) }
        return line.remove(request)
    }

    fileprivate mutating func approach(_ request: WaitingRequest) {
        request.steps += 1
        guard request.steps == 1, !request.isOver.load(ordering: .relaxed), !request.isInLine else { return }
        request.server = server(at: request.server.address)
        line.number(request)
        if enter(request.server) { return reserve(for: request) }
        line.append(request, nil)
        // A request that returns to its place comes before those that have got slots meanwhile, and have not arrived yet.
        while let last = reservations.first, request.isBefore(last, byPlace: true), last.priority <= request.priority {
            returnToLine(last)
        }
    }

    /// Lets a request wait again that has a slot, and has not arrived yet.
    private mutating func returnToLine(_ request: WaitingRequest) {
        giveWay(request)
        request.server = server(at: request.server.address)
        line.append(request, nil)
    }

    fileprivate mutating func suspend() {
        isSuspended = true
        while let last = reservations.first { returnToLine(last) }
    }

    fileprivate mutating func pause(_ request: WaitingRequest) {
        request.steps -= 1
        // A request that has arrived waits for its slot.
        guard request.steps == 0, !request.isOver.load(ordering: .relaxed), !request.hasArrived else { return }
        giveWay(request)
    }

    @discardableResult
    fileprivate mutating func withdraw(_ request: WaitingRequest) -> SlotCompletion? {
        guard !request.isOver.exchange(true, ordering: .relaxed) else { return nil }
        return giveWay(request)
    }

    fileprivate mutating func assign(_ request: WaitingRequest, to call: UInt64) {
        let isInLine = request.isInLine
        line.remove(request)
        request.call = call
        if isInLine { line.append(request, nil) }
    }

    /// Returns the server of a request that gets its slot at once.
    fileprivate mutating func claim(_ request: WaitingRequest, at address: ServerAddress) -> LimitedServer? {
        if request.server.address != address { giveWay(request) }
        // One that has given way may have a server that was forgotten since.
        if request.reservation == nil, !request.isInLine { request.server = server(at: address) }
        guard endReservation(of: request) || !request.isInLine && enter(request.server) else { return nil }
        request.isOver.store(true, ordering: .relaxed)
        return request.server
    }
}

extension Limiter: CustomStringConvertible {
    /// The limits, and the requests that run and wait.
    public var description: String {
        let limits = [("in total", total), ("for each host", perHost), ("waiting", queue)]
            .compactMap { name, limit in limit.map { "\($0) \(name)" } }
        return
            "Limiter, \(limits.isEmpty ? "no limits" : limits.joined(separator: ", ")): \(running) running, \(waiting) waiting"
            + (isSuspended ? ", suspended" : "")
    }
}
