import TangoCHiredis
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
    /// The identity of the server process that the connection leads to; nil while there is none.
    private(set) var run: String?
    /// The reason for which the connection must be closed.
    var failure: CacheError?
    /// A Boolean value that indicates whether replies have arrived since the loop has last waited.
    var isActive = false

    private let line: Line
    private let configuration: RedisConfiguration
    private var phase = Phase.idle(until: MonotonicTime(nanoseconds: 0))
    private var socket: OpenSocket?
    private var parser: ReplyParser?
    /// The commands that were sent, in order, and the number of those at the start that have a result.
    private var pending: [Line.Pending] = []
    private var done = 0
    /// The number of replies to the first command without a result.
    private var received = 0
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
    /// The bytes that the parser takes at a time. It moves the rest of them after each reply.
    private static let portion = 16 << 10
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

    /// A Boolean value that indicates whether the connection was made since the events were taken.
    var hasOpened: Bool {
        events.contains { if case .ready = $0 { true } else { false } }
    }

    /// The descriptor of the socket, or -1.
    var descriptor: Int32 { socket?.descriptor ?? -1 }

    /// The events that the socket is watched for, and the next time at which something is due.
    func interest() -> (events: Int16, next: MonotonicTime?) {
        let condition = line.condition
        if condition.isBroken { failure = failure ?? .unreachable }
        let isFull = sent < sending.count || condition.isBlocked
        let (events, own): (Int16, MonotonicTime?) =
            switch phase {
            case .idle(let time): (0, time)
            case .resolving: (0, nil)
            case .connecting(let deadline): (Int16(POLLOUT), deadline)
            case .greeting(_, let deadline): (Int16(POLLIN) | (isFull ? Int16(POLLOUT) : 0), deadline)
            case .open: (Int16(POLLIN) | (isFull ? Int16(POLLOUT) : 0), isFeed ? pongDeadline ?? nextPing : nil)
            }
        if condition.isBroken { return (events, MonotonicTime(nanoseconds: 0)) }
        return (events, [own, deadline ?? condition.deadline].compactMap(\.self).min())
    }

    /// The earliest deadline of the commands that the loop has taken. They are in about the order of their deadlines.
    private var deadline: MonotonicTime? { done < pending.count ? pending[done].deadline : nil }

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
        self.socket = socket
        phase = .connecting(deadline: now + max(configuration.budget, .milliseconds(200)))
    }

    private func greet(_ now: MonotonicTime) {
        parser = ReplyParser()
        let commands = Handshake.commands(configuration, isFeed: isFeed)
        sending = commands.bytes
        sent = 0
        greeting = []
        phase = .greeting(expected: commands.count, deadline: now + max(configuration.budget, .milliseconds(200)))
        flush()
    }

    /// Sends the commands of the loop itself: those of the handshake and of the feed.
    private func flush() {
        guard let socket else { return }
        while sent < sending.count {
            switch sending.withUnsafeBytes({
                Socket.write(socket.descriptor, UnsafeRawBufferPointer(rebasing: $0[sent...]))
            }) {
            case .bytes(let count): sent += count
            case .wouldWait: return
            case .ended: return failure = failure ?? .unreachable
            }
        }
        sending = []
        sent = 0
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
            if flags & Int16(POLLOUT) != 0, failure == nil {
                flush()
                if line.unblock() { _ = line.send() }
            }
        }
    }

    private func receive() {
        isActive = !isFeed
        if isConnected, !isFeed { line.takeSubmitted(into: &pending) }
        // A bounded number of reads, so that one connection does not hold up the others.
        for _ in 0..<64 where failure == nil {
            switch Socket.read(descriptor, buffer) {
            case .bytes(let count):
                parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                if count < buffer.count { return }
            case .wouldWait: return
            case .ended: failure = failure ?? .unreachable
            }
        }
    }

    private func parse(_ bytes: UnsafeRawBufferPointer) {
        let former = done
        var rest = bytes[...]
        while !rest.isEmpty, failure == nil {
            let portion = rest.prefix(Self.portion)
            rest = rest.dropFirst(portion.count)
            guard parser?.feed(UnsafeRawBufferPointer(rebasing: portion)) == true else {
                failure = Handshake.garbled
                break
            }
            parseReplies()
        }
        if done > former { line.complete(done - former) }
        if done == pending.count {
            pending.removeAll(keepingCapacity: true)
            done = 0
        } else if done > 1_024 {
            pending.removeFirst(done)
            done = 0
        }
    }

    private func parseReplies() {
        while failure == nil {
            switch parser?.next() {
            case .reply: accept()
            case .needsMore: return
            case .invalid, nil: failure = Handshake.garbled
            }
        }
    }

    /// Gives a reply to its command.
    private func accept() {
        guard case .open = phase, !isFeed else {
            if let reply = parser?.reply { isConnected ? follow(reply) : greet(with: reply) }
            return
        }
        // The commands may have been submitted since the first bytes of the replies arrived.
        if done == pending.count { line.takeSubmitted(into: &pending) }
        guard done < pending.count, let type = parser?.type, pending[done].shapes[received].accepts(type) else {
            failure = Handshake.garbled
            return
        }
        let current = pending[done]
        if Int(type) == tango_redis_error, let refusal = parser?.reply.refusal, refusal.isOfReplica {
            failure = refusal.error
        }
        parser?.pass(to: current.receiver)
        received += 1
        guard received == current.shapes.count else { return }
        received = 0
        done += 1
        current.receiver.finish(nil)
    }

    private func greet(with reply: Reply) {
        greeting.append(reply)
        guard case .greeting(let expected, _) = phase, greeting.count == expected else { return }
        do {
            open(try Handshake.result(greeting, isFeed: isFeed))
        } catch {
            failure = error
        }
    }

    private func open(_ result: Handshake.Result) {
        phase = .open
        run = result.run
        backoff.reset()
        events.append(.ready(result))
        guard isFeed else { return }
        events.append(.feed(.subscribed))
        nextPing = .now + Self.pingInterval
    }

    /// Lets commands in, once the store knows the server.
    func becomeReady() {
        if isConnected, let socket, line.becomeReady(socket) { _ = line.send() }
    }

    private func follow(_ reply: Reply) {
        guard let parts = reply.parts, let kind = parts.first?.text else {
            failure = Handshake.garbled
            return
        }
        switch kind {
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
        guard let deadline = deadline ?? line.condition.deadline, deadline <= now else { return false }
        failure = failure ?? .overBudget(configuration.budget)
        return isConnected
    }

    /// The latest deadline of the commands in flight.
    var lastDeadline: MonotonicTime? {
        line.takeSubmitted(into: &pending)
        return pending.dropFirst(done).map(\.deadline).max()
    }

    /// Closes the socket and plans the next attempt. Returns the commands that fail.
    func fail(_ now: MonotonicTime, retryingAfter barrier: MonotonicTime) -> [Line.Pending] {
        hangUp()
        let refusal = failure?.code == .refused ? failure : nil
        failure = nil
        phase = .idle(until: max(barrier, now + backoff.next(random: Double.random(in: 0...1))))
        return end(.down, refusal: refusal)
    }

    /// Ends all commands without a result, and returns them.
    func end(_ phase: Line.Phase, refusal: CacheError? = nil) -> [Line.Pending] {
        defer {
            pending = []
            done = 0
            received = 0
        }
        return pending.dropFirst(done) + line.end(phase, refusal: refusal)
    }

    func hangUp() {
        socket?.end()
        socket = nil
        run = nil
        parser = nil
        sending = []
        sent = 0
        nextPing = nil
        pongDeadline = nil
    }
}
