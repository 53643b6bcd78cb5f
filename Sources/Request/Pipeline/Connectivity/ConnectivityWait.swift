import Synchronization

/// The waiting of one request for a network, up to the limit of its call.
final class ConnectivityWait: Sendable {
    private let check: ConnectivityCheck
    private let clock: any Clock<Duration>
    private let limit: Duration
    private let request: HTTPRequest
    private let context: CallContext
    /// Made before the first wait. From then on, no change is missed.
    private let watch = Mutex<ConnectivityWatch?>(nil)

    init(
        _ check: ConnectivityCheck, _ clock: any Clock<Duration>, limit: Duration, _ request: HTTPRequest,
        _ context: CallContext
    ) {
        self.check = check
        self.clock = clock
        self.limit = limit
        self.request = request
        self.context = context
    }

    /// The number of changes after which the device may have a network; nil before ``observe()``.
    var changes: Int? { watch.withLock(\.self)?.changes }

    /// Begins to count changes.
    func observe() {
        _ = observed()
    }

    private func observed() -> ConnectivityWatch {
        if let watch = watch.withLock(\.self) { return watch }
        let new = ConnectivityWatch(check.connectivity)
        watch.withLock { $0 = new }
        return new
    }

    /// Waits until the status is another one than unavailable.
    ///
    /// - Parameter error: The error of the attempt that failed; nil before the first one.
    func untilAvailable(after error: RequestError? = nil) async throws {
        let watch = observed()
        let seen = watch.changes
        // The status is read after the count, so that a change in between ends the wait.
        if check.status == .unavailable { try await wait(watch, since: seen, error) }
    }

    /// Waits until the number of changes is higher than before.
    func untilChanged(since seen: Int, after error: RequestError) async throws {
        try await wait(observed(), since: seen, error)
    }

    private func wait(_ watch: ConnectivityWatch, since seen: Int, _ error: RequestError?) async throws {
        guard try await wait(watch, since: seen, on: clock) else {
            throw RequestError(
                .offline, phase: .connect,
                detail: "the device had no network for \(limit.text), the limit of waitsForConnectivity: connect it to "
                    + "one, or raise the limit",
                request: request, underlying: error)
        }
        context.become(.running)
    }

    /// Returns false if the limit has passed.
    private func wait(_ watch: ConnectivityWatch, since seen: Int, on clock: some Clock<Duration>) async throws -> Bool
    {
        let remaining = limit - context.core.waitedTime
        guard remaining > .zero else { return false }
        let start = clock.now
        let end = clock.instant(after: remaining)
        let core = context.core
        core.state.withLock {
            $0.values[WaitedTime.self, default: WaitedTime()].begin { start.duration(to: clock.now) }
        }
        defer {
            let current = core.state.withLock { $0.values[WaitedTime.self]?.current }
            let time = current?() ?? .zero
            core.state.withLock { $0.values[WaitedTime.self]?.end(after: time) }
        }
        context.become(.waitingForConnectivity, for: .connectivity)
        context.notify(.waiting(.connectivity))
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await watch.wait(after: seen)
                return true
            }
            group.addTask {
                try await clock.sleep(until: end, tolerance: nil)
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }
}

/// Counts how often the device gets a network, and lets tasks wait for the next time.
final class ConnectivityWatch: Sendable {
    private let counter: Broadcast<Int>
    private let observation: ConnectivityObservation

    init(_ connectivity: any Connectivity) {
        let counter = Broadcast(0, keepsAll: false)
        self.counter = counter
        observation = connectivity.observe { status in
            guard status != .unavailable else { return }
            counter.update { count in
                count += 1
                return true
            }
        }
    }

    /// The number of changes after which the device may have a network.
    var changes: Int { counter.value }

    /// Waits until there are more changes than a number.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func wait(after seen: Int) async throws {
        for await count in counter.values where count > seen { return }
        try Task.checkCancellation()
    }
}
