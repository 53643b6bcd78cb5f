/// Waits for sockets, timers and other threads, and lets connections act.
///
/// Once its thread runs, nobody else touches it: others post to the mailbox. That is why it may go to that thread.
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

    /// What was read last, for whichever connection.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    /// About the time it is: when the last wait ended.
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
        Socket.shut(listener)
        core.mailbox.close()
    }

    func after(_ delay: Duration, _ body: @escaping () -> Void) {
        timers.add(at: ContinuousClock.now + delay, body)
    }

    // MARK: Connections

    private func accept() {
        // Others have their turn now and then.
        for _ in 0..<256 {
            guard let descriptor = Socket.accept(listener, isTCP: isTCP) else {
                switch Socket.error {
                case Socket.again: return
                case Socket.interrupted, Socket.aborted: continue
                default:
                    pauseAccepting(Socket.error)
                    return
                }
            }
            open(descriptor)
        }
    }

    /// Without a descriptor to spare, the listener would be ready all the time. Clients wait in its queue meanwhile.
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

    /// The connection of a number, if it still has the descriptor that it had.
    func connection(_ descriptor: Int32, _ number: Int) -> Connection? {
        guard let connection = connections[Int(descriptor)], connection.number == number else { return nil }
        return connection
    }

    func change(_ connection: Connection, to interest: Interest) {
        poller.change(connection.descriptor, to: interest)
    }

    func forget(_ connection: Connection) {
        poller.remove(connection.descriptor)
        Socket.shut(connection.descriptor)
        connections[Int(connection.descriptor)] = nil
    }
}
