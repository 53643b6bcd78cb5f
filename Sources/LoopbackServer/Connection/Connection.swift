/// A connection of a client: its unused input, its pending output and its current exchange.
final class Connection {
    /// The event that the exchange waits for.
    enum Waiting {
        case nothing
        case input
        case output
        /// A timer, a gate or a task, which passes the current ticket.
        case ticket
        /// The end of the connection or of the server.
        case end
    }

    unowned let loop: Loop
    let descriptor: Int32
    let number: Int

    var exchange: Exchange?
    var exchangeCount = 0
    var waiting = Waiting.nothing
    /// A number that changes with each wait, so that late events of earlier waits are ignored.
    var ticket = 0

    /// The unused bytes during an event: a view that is valid only until the event ends.
    var window = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The unused bytes between events.
    var leftover: [UInt8] = []
    var output = Output()
    var pace = Pace()
    /// The throttle for the rest of the connection.
    var lasting: Throttle?

    var interest = SocketEvents.reading
    /// The bytes written in one turn. A limit prevents that one connection delays the others.
    var turn = 0
    var tunnel: String?

    var inputHasEnded = false
    var clientHasLeft = false
    var isClosed = false
    /// The server has closed its side, and discards what the client still sends.
    var isLingering = false
    /// The server has closed its side, and still reads requests.
    var isMute = false
    /// The connection closes once the output is written.
    var isLast = false
    /// The client may send bytes that are not part of a request that the server reads.
    var mustLinger = false

    init(_ loop: Loop, _ descriptor: Int32, number: Int) {
        self.loop = loop
        self.descriptor = descriptor
        self.number = number
    }

    var record: Watched<Record> { loop.core.record }

    // MARK: Events of the socket

    func become(_ readiness: SocketEvents) {
        if readiness.contains(.writing) {
            turn = 0
            work()
        }
        if isClosed { return }
        if interest.contains(.reading), !readiness.isDisjoint(with: [.reading, .broken]) {
            turn = 0
            read()
        } else if readiness.contains(.broken) {
            // Both sides are closed, or the client has reset the connection.
            end(.resetByClient)
        } else if readiness.contains(.end) {
            clientLeaves()
        }
    }

    private func read() {
        let room = pace.readable(loop.buffer.count)
        let count = recv(descriptor, loop.buffer.baseAddress, room, 0)
        if count > 0 {
            pace.didRead(count)
            if isLingering { return }
            let bytes = UnsafeRawBufferPointer(rebasing: loop.buffer[..<count])
            if leftover.isEmpty {
                work(on: bytes)
            } else {
                leftover.append(contentsOf: bytes)
                work()
            }
        } else if count == 0 {
            inputEnds()
        } else if errno != EAGAIN, errno != EINTR {
            end(.resetByClient)
        }
    }

    /// Handles that the client has closed its side. Some of its bytes may be unread.
    private func clientLeaves() {
        clientHasLeft = true
        record.change { $0.ended(number, .closedByClient) }
        if case .end = waiting { end(.closedByClient) } else { settle() }
    }

    /// Handles that everything was read up to the end of the client's side.
    private func inputEnds() {
        inputHasEnded = true
        clientHasLeft = true
        if isLingering {
            end(.closedByServer)
            return
        }
        record.change { $0.ended(number, .closedByClient) }
        switch waiting {
        case .input, .end:
            end(.closedByClient)
        case .nothing where exchange == nil:
            if !leftover.isEmpty { recordMalformed(leftover, "an incomplete head") }
            leftover = []
            isLast = true
            settle()
        default:
            settle()
        }
    }

    // MARK: Working

    /// Continues with the unused bytes.
    func work() {
        let bytes = leftover
        leftover = []
        bytes.withUnsafeBytes(work)
    }

    private func work(on bytes: UnsafeRawBufferPointer) {
        window = bytes
        advance()
        if !window.isEmpty, !isClosed, !isLingering { leftover = Array(window) }
        window = UnsafeRawBufferPointer(start: nil, count: 0)
        settle()
    }

    /// Continues after a wait, unless the ticket is of an earlier wait.
    func resume(_ ticket: Int) {
        guard !isClosed, ticket == self.ticket, case .ticket = waiting else { return }
        waiting = .nothing
        turn = 0
        work()
    }

    func nextTicket() -> Int {
        ticket += 1
        waiting = .ticket
        return ticket
    }

    /// Writes the pending output, and updates the events to watch for.
    func settle() {
        guard !isClosed else { return }
        flush()
        guard !isClosed else { return }
        if isLast, exchange == nil, output.isEmpty, !isLingering { endInOrder() }
        guard !isClosed else { return }
        watch()
    }

    private func watch() {
        var wanted: SocketEvents = []
        if !inputHasEnded, wantsInput, pace.canRead {
            wanted.insert(.reading)
        } else if !clientHasLeft {
            wanted.insert(.end)
        }
        if pace.canWrite, isWaitingToWrite || !output.isEmpty { wanted.insert(.writing) }
        pace.schedule(self)
        guard wanted != interest else { return }
        interest = wanted
        loop.change(self, to: wanted)
    }

    private var isWaitingToWrite: Bool {
        if case .output = waiting { true } else { false }
    }

    private var wantsInput: Bool {
        if isLingering { return true }
        guard let exchange else { return !isLast && leftover.count < loop.buffer.count * 8 }
        if case .input = waiting { return true }
        // Reading detects that the client leaves. The bytes that it sends meanwhile are stored, up to a limit.
        return exchange.head != nil && exchange.reader.isDone && leftover.count < 64 << 10
    }

    // MARK: Ending

    /// Closes the connection so that all written bytes arrive.
    func endInOrder() {
        guard mustLinger || !leftover.isEmpty, !inputHasEnded else {
            end(.closedByServer)
            return
        }
        // If the client is still sending, closing now would reset the connection and lose bytes that it has not read.
        isLingering = true
        pace.set(nil)
        leftover = []
        Socket.endWriting(descriptor)
        record.change { $0.ended(number, .closedByServer) }
        loop.after(.seconds(5)) { [weak self] in self?.end(.closedByServer) }
    }

    func end(_ state: LoopbackServer.ConnectionState) {
        guard !isClosed else { return }
        isClosed = true
        if let exchange {
            exchange.cancel()
            if !exchange.isRecorded {
                let request = exchange.request(exchange.reader.isDone ? nil : .incomplete)
                exchange.isRecorded = true
                record.change { $0.requests.append(request) }
            }
        }
        exchange = nil
        output.removeAll()
        // The socket is closed before the end is recorded, so that tests that wait for the end find it closed.
        loop.forget(self)
        Socket.end(descriptor, withReset: state == .resetByServer)
        record.change { $0.ended(number, state) }
    }
}
