import Synchronization
import TangoCache

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The thread that connects, sends and receives for all connections of a store.
///
/// A store has a handful of descriptors, so `poll` is as good as epoll here, and it is the same on all systems.
final class Loop: Sendable {
    /// The messages of the connection that is subscribed to changes.
    enum FeedEvent: Sendable {
        /// The subscription has begun. Earlier messages may be lost.
        case subscribed
        case message([UInt8])
        case interrupted
    }

    let lines: [Line]
    let configuration: RedisConfiguration
    let health = Health()
    private let isClosed = Atomic(false)
    private let isFollowed = Atomic(false)
    private let wakeup: Wakeup
    private let onReady: @Sendable (Handshake.Result) -> Void
    private let onFeed: @Sendable (FeedEvent) -> Void

    init(
        _ configuration: RedisConfiguration, onReady: @escaping @Sendable (Handshake.Result) -> Void,
        onFeed: @escaping @Sendable (FeedEvent) -> Void
    ) throws {
        guard let wakeup = Wakeup() else {
            throw CacheError(.system, "A pipe cannot be opened. Close files that are no longer used.")
        }
        self.configuration = configuration
        self.wakeup = wakeup
        self.onReady = onReady
        self.onFeed = onFeed
        lines = (0..<configuration.connections).map { _ in Line() }
        try start { [self] in run() }
    }

    /// Subscribes to changes.
    func follow() {
        isFollowed.store(true, ordering: .releasing)
        wakeup.wake()
    }

    func close() {
        isClosed.store(true, ordering: .releasing)
        for line in lines { fail(line.end(.closed), CacheError(.closed, "The store is closed. Create a new one.")) }
        wakeup.wake()
    }

    /// Sends commands, and returns their replies.
    ///
    /// - Parameter isBulk: Prefers the last connection, so that large bodies do not delay small commands.
    func perform(_ commands: Commands, within budget: Duration, isBulk: Bool = false) async throws -> [Reply] {
        let line = choose(isBulk: isBulk)
        let deadline = MonotonicTime.now + budget
        return try await withCheckedThrowingContinuation { continuation in
            do {
                let mustWake = try line.submit(commands, by: deadline) { continuation.resume(with: $0) }
                if mustWake { wakeup.wake() }
            } catch {
                health.count(\.refused)
                continuation.resume(throwing: error)
            }
        }
    }

    /// Returns the connection that is connected and has the fewest commands in flight, in units of 64.
    private func choose(isBulk: Bool) -> Line {
        var best = lines[isBulk ? lines.count - 1 : 0]
        var bestLoad = Int.max
        for line in isBulk ? lines.reversed() : lines {
            let load = line.state.withLock { state in
                switch state.phase {
                case .ready: state.load / 64
                case .starting: 1 << 40
                case .down, .closed: 1 << 50
                }
            }
            if load < bestLoad { (best, bestLoad) = (line, load) }
        }
        return best
    }

    private func fail(_ pending: [Line.Pending], _ error: CacheError) {
        for pending in pending { pending.completion(.failure(error)) }
    }

    // MARK: The thread

    private func run() {
        var lanes = lines.map { Lane($0, configuration) }
        var feed: Lane?
        while !isClosed.load(ordering: .acquiring) {
            if feed == nil, isFollowed.load(ordering: .acquiring) {
                let lane = Lane(Line(), configuration, isFeed: true)
                feed = lane
                lanes.append(lane)
            }
            let now = MonotonicTime.now
            for lane in lanes { lane.advance(now) { [wakeup] in wakeup.wake() } }
            wait(for: lanes, now)
            settle(lanes)
        }
        for lane in lanes { lane.hangUp() }
    }

    /// Waits for events and passes them on.
    private func wait(for lanes: [Lane], _ now: MonotonicTime) {
        var polled = [pollfd(fd: wakeup.reading, events: Int16(POLLIN), revents: 0)]
        var timeout: Int32 = 60_000
        for lane in lanes {
            polled.append(pollfd(fd: lane.descriptor, events: lane.interest, revents: 0))
            if let next = lane.nextMoment { timeout = min(timeout, next.milliseconds(after: now)) }
        }
        guard poll(&polled, nfds_t(polled.count), timeout) >= 0 else { return }
        if polled[0].revents != 0 { wakeup.empty() }
        for (lane, event) in zip(lanes, polled.dropFirst()) where event.revents != 0 { lane.handle(event.revents) }
    }

    /// Reports what has happened to the connections. A failure of one closes all of them, because they have the same
    /// server. Otherwise a command that a failed connection has sent could overtake later ones of other connections.
    private func settle(_ lanes: [Lane]) {
        let now = MonotonicTime.now
        // Each of them notes that it has expired.
        if lanes.count(where: { $0.expire(now) }) > 0 { health.count(\.timeouts) }
        var barrier = now
        if let failure = lanes.first(where: { !$0.isFeed && $0.isConnected && $0.failure != nil })?.failure {
            for lane in lanes where !lane.isFeed { lane.failure = lane.failure ?? failure }
            // The server may still run the failed commands until their deadlines. Later commands must come after them.
            barrier = lanes.compactMap(\.lastDeadline).max() ?? now
        }
        for lane in lanes {
            for event in lane.takeEvents() {
                switch event {
                case .ready(let result):
                    health.connected(lane.isFeed ? nil : result)
                    if !lane.isFeed { onReady(result) }
                    lane.becomeReady()
                case .completed(let pending, let replies): pending.completion(.success(replies))
                case .feed(let event): onFeed(event)
                }
            }
            guard let failure = lane.failure else { continue }
            let wasConnected = lane.isConnected
            let pending = lane.fail(now, retryingAfter: lane.isFeed ? now : barrier)
            if wasConnected || lane.isFirstFailure { health.failed(failure, isFeed: lane.isFeed) }
            if lane.isFeed, wasConnected { onFeed(.interrupted) }
            fail(pending, failure)
        }
    }
}

extension CacheError {
    static func overBudget(_ budget: Duration) -> CacheError {
        CacheError(
            .unreachable, "The Redis server did not reply within \(budget). If it is only slow, raise the budget.")
    }
}

/// Starts a thread that ends by itself.
private func start(_ body: @escaping @Sendable () -> Void) throws {
    final class Start {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let start = Unmanaged.passRetained(Start(body))
    #if canImport(Darwin)
        var thread: pthread_t?
        let code = pthread_create(
            &thread, nil,
            { argument in
                Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, start.toOpaque())
        if code == 0, let thread { pthread_detach(thread) }
    #else
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body() }
                return nil
            }, start.toOpaque())
        if code == 0 { pthread_detach(thread) }
    #endif
    if code != 0 {
        start.release()
        throw CacheError(.system, "A thread cannot be started. Reduce the number of threads of the process.")
    }
}
