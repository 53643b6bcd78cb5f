import TangoCache

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A connection on the thread of the loop: its socket, its parser, and the next attempt to connect.
final class Lane {
    enum Event {
        case ready(Handshake.Result)
        case completed(Line.Pending, [Reply])
        case feed(Loop.FeedEvent)
    }

    private enum Phase {
        case idle(until: MonotonicTime)
        case resolving(Resolution)
        case connecting(deadline: MonotonicTime)
        case greeting(expected: Int, deadline: MonotonicTime)
        case open
    }

    let isFeed: Bool
    /// The reason for which the connection must be closed.
    var failure: CacheError?
    private(set) var isFirstFailure = true
    private(set) var descriptor: Int32 = -1

    private let line: Line
    private let configuration: RedisConfiguration
    private var phase = Phase.idle(until: MonotonicTime(nanoseconds: 0))
    private var parser: ReplyParser?
    private var backoff = Backoff()
    private var targets: [Socket.Target] = []
    private var sending: [UInt8] = []
    private var sent = 0
    private var greeting: [Reply] = []
    private var events: [Event] = []
    /// For the feed: the next ping, and the time by which its reply must arrive.
    private var nextPing: MonotonicTime?
    private var pongDeadline: MonotonicTime?

    private static let pingInterval = Duration.seconds(1)
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    init(_ line: Line, _ configuration: RedisConfiguration, isFeed: Bool = false) {
        self.line = line
        self.configuration = configuration
        self.isFeed = isFeed
    }

    deinit {
        buffer.deallocate()
    }

    var isConnected: Bool {
        if case .open = phase { true } else { false }
    }

    /// The events that the socket is watched for.
    var interest: Int16 {
        switch phase {
        case .idle, .resolving: 0
        case .connecting: Int16(POLLOUT)
        case .greeting, .open: Int16(POLLIN) | (sent < sending.count ? Int16(POLLOUT) : 0)
        }
    }

    /// The next time at which something is due.
    var nextMoment: MonotonicTime? {
        let own: MonotonicTime? =
            switch phase {
            case .idle(let time): time
            case .resolving: nil
            case .connecting(let deadline), .greeting(_, let deadline): deadline
            case .open: isFeed ? pongDeadline ?? nextPing : nil
            }
        return [own, line.deadline].compactMap(\.self).min()
    }

    func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    // MARK: Progress

    /// Connects and sends, as far as that is due.
    func advance(_ now: MonotonicTime, wake: @escaping @Sendable () -> Void) {
        switch phase {
        case .idle(let time) where time <= now: phase = .resolving(Resolution(configuration.address, then: wake))
        case .idle, .connecting, .greeting: break
        case .resolving(let resolution):
            guard let found = resolution.targets else { return }
            targets = found
            connect(now)
        case .open:
            if isFeed, let time = nextPing, time <= now {
                sending += Commands("PING").bytes
                nextPing = nil
                pongDeadline = now + configuration.budget + Self.pingInterval
            }
            flush()
        }
    }

    private func connect(_ now: MonotonicTime) {
        guard !targets.isEmpty else {
            failure = CacheError(
                .unreachable, "The host name of the Redis server cannot be resolved. Check the address.")
            return
        }
        guard let socket = Socket.connect(to: targets.removeFirst()) else {
            if targets.isEmpty { failure = .unreachable } else { connect(now) }
            return
        }
        descriptor = socket
        phase = .connecting(deadline: now + max(configuration.budget, .milliseconds(200)))
    }

    private func greet(_ now: MonotonicTime) {
        parser = ReplyParser()
        let commands = Handshake.commands(configuration)
        sending = commands.bytes
        sent = 0
        greeting = []
        phase = .greeting(expected: commands.count, deadline: now + max(configuration.budget, .milliseconds(200)))
        flush()
    }

    private func flush() {
        if sent == sending.count {
            sending = isConnected ? line.takeOutgoing() : []
            sent = 0
        }
        while sent < sending.count {
            switch sending.withUnsafeBytes({ Socket.write(descriptor, UnsafeRawBufferPointer(rebasing: $0[sent...])) })
            {
            case .bytes(let count): sent += count
            case .wouldWait: return
            case .ended: return failure = failure ?? .unreachable
            }
            if sent == sending.count, isConnected {
                sending = line.takeOutgoing()
                sent = 0
            }
        }
    }

    // MARK: Events of the socket

    func handle(_ flags: Int16) {
        switch phase {
        case .idle, .resolving: return
        case .connecting:
            var code: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
            if code == 0 { return greet(.now) }
            hangUp()
            if targets.isEmpty { failure = .unreachable } else { connect(.now) }
        case .greeting, .open:
            if flags & Int16(POLLIN | POLLHUP | POLLERR) != 0 { receive() }
            if flags & Int16(POLLOUT) != 0, failure == nil { flush() }
        }
    }

    private func receive() {
        var replies: [Reply] = []
        // A bounded number of reads, so that one connection does not hold up the others.
        for _ in 0..<64 {
            switch Socket.read(descriptor, buffer) {
            case .bytes(let count):
                guard parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]), into: &replies) else {
                    failure = Handshake.garbled
                    return
                }
                if count < buffer.count { return deliver(replies) }
            case .wouldWait: return deliver(replies)
            case .ended:
                deliver(replies)
                failure = failure ?? .unreachable
                return
            }
        }
        deliver(replies)
    }

    private func parse(_ bytes: UnsafeRawBufferPointer, into replies: inout [Reply]) -> Bool {
        guard let fed = parser?.feed(bytes), fed else { return false }
        while true {
            switch parser?.next() {
            case .reply(let reply): replies.append(reply)
            case .needsMore: return true
            case .invalid, nil: return false
            }
        }
    }

    private func deliver(_ replies: [Reply]) {
        var replies = replies[...]
        if case .greeting(let expected, _) = phase {
            greeting += replies.prefix(expected - greeting.count)
            replies = replies.dropFirst(expected)
            guard greeting.count == expected else { return }
            do {
                open(try Handshake.result(greeting))
            } catch {
                failure = error
                return
            }
        }
        guard !replies.isEmpty else { return }
        if isFeed { return replies.forEach(follow) }
        let (complete, isInStep) = line.receive(Array(replies))
        if !isInStep { failure = failure ?? Handshake.garbled }
        events += complete.map { .completed($0, $0.replies) }
    }

    private func open(_ result: Handshake.Result) {
        phase = .open
        isFirstFailure = true
        backoff.reset()
        events.append(.ready(result))
        if isFeed {
            var commands = Commands()
            commands.add([Array("SUBSCRIBE".utf8), Names(configuration).channel])
            sending += commands.bytes
            pongDeadline = .now + max(configuration.budget, .milliseconds(200))
        }
        flush()
    }

    /// Lets commands in, once the store knows the server.
    func becomeReady() {
        if isConnected { line.becomeReady() }
    }

    private func follow(_ reply: Reply) {
        guard let parts = reply.parts, let kind = parts.first?.text else {
            failure = Handshake.garbled
            return
        }
        switch kind {
        case "subscribe": events.append(.feed(.subscribed))
        case "message":
            if parts.count == 3, let bytes = parts[2].data { events.append(.feed(.message(Array(bytes)))) }
        case "pong": break
        default: failure = Handshake.garbled
        }
        // Any message shows that the server is there.
        pongDeadline = nil
        nextPing = .now + Self.pingInterval
    }

    // MARK: Failure

    /// Returns true if the server has exceeded the budget.
    func expire(_ now: MonotonicTime) -> Bool {
        switch phase {
        case .connecting(let deadline) where deadline <= now, .greeting(_, let deadline) where deadline <= now:
            failure = failure ?? .overBudget(configuration.budget)
        case .open where isFeed:
            if let deadline = pongDeadline, deadline <= now { failure = failure ?? .overBudget(configuration.budget) }
        default: break
        }
        guard let deadline = line.deadline, deadline <= now else { return false }
        failure = failure ?? .overBudget(configuration.budget)
        return isConnected
    }

    /// The latest deadline of the commands in flight.
    var lastDeadline: MonotonicTime? { line.lastDeadline }

    /// Closes the socket and plans the next attempt. Returns the commands that fail.
    func fail(_ now: MonotonicTime, retryingAfter barrier: MonotonicTime) -> [Line.Pending] {
        hangUp()
        failure = nil
        isFirstFailure = false
        phase = .idle(until: max(barrier, now + backoff.next(random: Double.random(in: 0...1))))
        return line.end(.down)
    }

    func hangUp() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        parser = nil
        sending = []
        sent = 0
        nextPing = nil
        pongDeadline = nil
    }
}
