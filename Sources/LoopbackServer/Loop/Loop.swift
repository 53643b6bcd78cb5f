import Synchronization

/// The event loop of the server. It waits for sockets, timers and jobs, and runs the connections.
///
/// It is safe to send to its thread because only that thread uses it afterwards. Other threads post to the mailbox.
final class Loop: @unchecked Sendable {
    let core: Core
    private let poller: any Poller
    private let listener: Int32
    private let isTCP: Bool
    private let wakeup: Wakeup
    /// Open connections by descriptor.
    private var connections: [Connection?] = []
    private var acceptedCount = 0
    private var timers = Timers()
    private var isStopping = false

    /// The buffer for the latest read, shared by all connections.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    /// The approximate time, read after each wait.
    private(set) var now = ContinuousClock.now

    init(_ core: Core, listener: Int32, isTCP: Bool, wakeup: Wakeup, poller: any Poller) {
        self.core = core
        self.listener = listener
        self.isTCP = isTCP
        self.wakeup = wakeup
        self.poller = poller
        poller.add(listener, .reading)
        poller.add(wakeup.reading, .reading)
    }

    deinit { buffer.deallocate() }

    func run() {
        while !isStopping {
            poller.wait(milliseconds: timers.wait) { descriptor, readiness in
                now = ContinuousClock.now
                if descriptor == listener {
                    accept()
                } else if descriptor == wakeup.reading {
                    wakeup.empty()
                } else if Int(descriptor) < connections.count {
                    connections[Int(descriptor)]?.become(readiness)
                }
            }
            for job in core.mailbox.take() { job(self) }
            now = ContinuousClock.now
            while let body = timers.due(now) { body() }
        }
        end()
    }

    func stop() { isStopping = true }

    private func end() {
        for connection in connections { connection?.end(.closedByServer) }
        timers.removeAll()
        poller.remove(listener)
        Socket.endListening(listener)
        core.mailbox.close()
    }

    func after(_ delay: Duration, _ body: @escaping () -> Void) {
        timers.add(at: ContinuousClock.now + delay, body)
    }

    // MARK: Connections

    private func accept() {
        // The limit lets open connections run in between.
        for _ in 0..<256 {
            guard let descriptor = Socket.connection(from: listener, isTCP: isTCP) else {
                switch errno {
                case EAGAIN: return
                case EINTR, ECONNABORTED: continue
                default:
                    pauseAccepting(errno)
                    return
                }
            }
            open(descriptor)
        }
    }

    /// Stops accepting for 10 ms. Without free descriptors, the loop would wake all the time. Clients wait in the
    /// queue.
    private func pauseAccepting(_ code: Int32) {
        core.record.change { $0.events.append(.acceptFailed(code: code)) }
        poller.change(listener, to: [])
        after(.milliseconds(10)) { [unowned self] in poller.change(listener, to: .reading) }
    }

    private func open(_ descriptor: Int32) {
        let connection = Connection(self, descriptor, number: acceptedCount)
        acceptedCount += 1
        while connections.count <= Int(descriptor) { connections.append(nil) }
        connections[Int(descriptor)] = connection
        core.record.change { $0.accepted() }
        poller.add(descriptor, connection.interest)
        let steps = core.script.withLock { $0.nextAtAccept() }
        if !steps.isEmpty { connection.begin(steps) }
    }

    /// Returns the connection with a number, or nil if its descriptor is now used by another.
    func connection(_ descriptor: Int32, _ number: Int) -> Connection? {
        guard let connection = connections[Int(descriptor)], connection.number == number else { return nil }
        return connection
    }

    func change(_ connection: Connection, to interest: SocketEvents) {
        poller.change(connection.descriptor, to: interest)
    }

    func forget(_ connection: Connection) {
        poller.remove(connection.descriptor)
        connections[Int(connection.descriptor)] = nil
    }
}

/// The state that the thread of the server shares with its users.
final class Core: Sendable {
    let script = Mutex(Script())
    let record: Watched<Record>
    let mailbox: Mailbox
    let bodies: LoopbackServer.BodyRecording

    init(_ recording: LoopbackServer.Recording, _ bodies: LoopbackServer.BodyRecording, _ wakeup: Wakeup) {
        record = Watched(Record(limit: recording.limit))
        mailbox = Mailbox(wakeup)
        self.bodies = bodies
    }
}
