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
    /// The time at which the waiting loop wakes by itself; 0 if it is awake.
    let wakesAt = Atomic<Int64>(0)
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
        for line in lines { fail(line.end(.closed), .storeIsClosed) }
        wakeup.wake()
    }

    /// Sends commands, and returns their replies.
    ///
    /// - Parameter isBulk: Prefers the last connection, so that large bodies do not delay small commands.
    func perform(_ commands: Commands, within budget: Duration, isBulk: Bool = false) async throws -> [Reply] {
        try await withCheckedThrowingContinuation { continuation in
            do {
                try submit(commands, to: Exchange(continuation), within: budget, isBulk: isBulk)
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    /// Sends commands, or throws if that is impossible. The replies go to a receiver.
    func submit(_ commands: Commands, to receiver: any Receiver, within budget: Duration, isBulk: Bool = false)
        throws(CacheError)
    {
        let line = choose(isBulk: isBulk)
        let deadline = MonotonicTime.now + budget
        do {
            let mustSend = try line.submit(commands, by: deadline, to: receiver)
            if mustSend, line.send() { wakeup.wake() }
        } catch {
            health.refuse()
            throw error
        }
        // A loop that wakes before the deadline looks at it then.
        if deadline.nanoseconds < wakesAt.load(ordering: .relaxed) {
            wakesAt.store(0, ordering: .relaxed)
            wakeup.wake()
        }
    }

    /// Returns the connection that is connected and has the fewest commands in flight, in units of 64.
    private func choose(isBulk: Bool) -> Line {
        var best = lines[isBulk ? lines.count - 1 : 0]
        var bestLoad = Int.max
        for line in isBulk ? lines.reversed() : lines {
            let load = (line.load ?? 1 << 50) / 64
            if load < bestLoad { (best, bestLoad) = (line, load) }
        }
        return best
    }

    private func fail(_ pending: [Line.Pending], _ error: CacheError) {
        for pending in pending { pending.receiver.finish(error) }
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
        for lane in lanes {
            lane.hangUp()
            fail(lane.end(.closed), .storeIsClosed)
        }
    }

    /// Waits for events and passes them on.
    private func wait(for lanes: [Lane], _ now: MonotonicTime) {
        var polled = [pollfd(fd: wakeup.reading, events: Int16(POLLIN), revents: 0)]
        // After replies, more commands are likely. Then the loop wakes before their deadlines, and they need not wake it.
        let isActive = lanes.contains(where: \.isActive)
        var timeout = isActive ? Int32(clamping: max(1, configuration.budget.milliseconds)) : 60_000
        // Until the timeout is known, all commands wake the loop.
        wakesAt.store(.max, ordering: .relaxed)
        for lane in lanes {
            lane.isActive = false
            let (events, next) = lane.interest()
            polled.append(pollfd(fd: lane.descriptor, events: events, revents: 0))
            if let next { timeout = min(timeout, next.milliseconds(after: now)) }
        }
        wakesAt.store(now.nanoseconds + Int64(timeout) * 1_000_000, ordering: .relaxed)
        let count = poll(&polled, nfds_t(polled.count), timeout)
        wakesAt.store(0, ordering: .relaxed)
        guard count >= 0 else { return }
        if polled[0].revents != 0 { wakeup.empty() }
        for (lane, event) in zip(lanes, polled.dropFirst()) where event.revents != 0 { lane.handle(event.revents) }
    }

    /// Reports what has happened to the connections. A failure of one closes all of them, because they have the same
    /// server. Otherwise a command that a failed connection has sent could overtake later ones of other connections.
    /// For the same reason, a new connection to another server process closes those to the former one.
    private func settle(_ lanes: [Lane]) {
        let now = MonotonicTime.now
        // Each of them notes that it has expired.
        if lanes.count(where: { $0.expire(now) }) > 0 { health.count(\.timeouts) }
        if let run = lanes.last(where: \.hasOpened)?.run {
            for lane in lanes where lane.isConnected && lane.run != run { lane.failure = lane.failure ?? .replaced }
        }
        var barrier = now
        if let failure = lanes.first(where: { !$0.isFeed && $0.isConnected && $0.failure != nil })?.failure {
            for lane in lanes where !lane.isFeed { lane.failure = lane.failure ?? failure }
            // The server may still run the failed commands until their deadlines. Later commands must come after them.
            barrier = lanes.compactMap(\.lastDeadline).max() ?? now
        }
        var failed: [(pending: [Line.Pending], failure: CacheError)] = []
        for lane in lanes {
            for event in lane.takeEvents() {
                switch event {
                case .ready(let result):
                    health.connected(isFeed: lane.isFeed)
                    if !lane.isFeed { onReady(result) }
                    lane.becomeReady()
                case .feed(let event): onFeed(event)
                }
            }
            guard let failure = lane.failure else { continue }
            let wasConnected = lane.isConnected
            let pending = lane.fail(now, retryingAfter: lane.isFeed ? now : barrier)
            health.failed(failure, isFeed: lane.isFeed, wasConnected: wasConnected)
            if lane.isFeed, wasConnected { onFeed(.interrupted) }
            failed.append((pending, failure))
        }
        for (pending, failure) in failed { fail(pending, failure) }
    }
}

extension CacheError {
    static let replaced = CacheError(
        .unreachable, "Another Redis server has taken over. The store connects to it in the background.")

    static let storeIsClosed = CacheError(.closed, "The store is closed. Create a new one.")

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
