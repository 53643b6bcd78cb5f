/// A client's connection: what was read and not used, what is to be written, and the exchange it is in.
final class Connection {
    /// Why the exchange does not go on.
    enum Waiting {
        case nothing
        /// More bytes of the request.
        case input
        /// The socket takes no more bytes.
        case output
        /// A timer, a gate or a task, which comes with the ticket.
        case ticket
        /// The end of the server.
        case end
    }

    unowned let loop: Loop
    let descriptor: Int32
    let number: Int

    var exchange: Exchange?
    var exchangeCount = 0
    var waiting = Waiting.nothing
    /// Changes with each wait, so that what comes late is not taken for what is waited for now.
    var ticket = 0

    /// What was read, and what of it is not used yet: a view of bytes that are there only while they are worked on.
    var window = UnsafeRawBufferPointer(start: nil, count: 0)
    /// What is kept of it between times.
    var leftover: [UInt8] = []
    var output = Output()
    var pace = Pace()
    /// How fast the connection may be for the rest of its life.
    var lasting: Throttle?

    var interest = Interest.reading
    /// Bytes written in one turn, so that one connection does not keep the others waiting.
    var turn = 0
    var tunnel: String?

    var inputHasEnded = false
    var clientHasLeft = false
    var isClosed = false
    /// The server has ended its side, and reads what the client still sends only to drop it.
    var isLingering = false
    /// The server has ended its side, and goes on with reading requests.
    var isMute = false
    /// The connection ends once the output is written.
    var isLast = false
    /// There may be bytes from the client that nobody will read.
    var mustLinger = false

    init(_ loop: Loop, _ descriptor: Int32, number: Int) {
        self.loop = loop
        self.descriptor = descriptor
        self.number = number
    }

    var record: Watched<Record> { loop.core.record }

    // MARK: What the socket says

    func become(_ readiness: Readiness) {
        if readiness.contains(.writing) {
            turn = 0
            work()
        }
        if isClosed { return }
        if interest.contains(.reading), !readiness.isDisjoint(with: [.reading, .broken]) {
            turn = 0
            read()
        } else if readiness.contains(.broken) {
            // Both sides have ended, or there was a reset.
            end(.resetByClient)
        } else if readiness.contains(.end) {
            clientLeaves()
        }
    }

    private func read() {
        let room = pace.readable(loop.buffer.count)
        let count = Socket.receive(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: loop.buffer[..<room]))
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
        } else if Socket.error != Socket.again, Socket.error != Socket.interrupted {
            end(.resetByClient)
        }
    }

    /// The client has ended its side, while there may be bytes that were not read yet.
    private func clientLeaves() {
        clientHasLeft = true
        record.change { $0.ended(number, .closedByClient) }
        if case .end = waiting { end(.closedByClient) } else { settle() }
    }

    /// All that the client sent was read.
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
            recordRest()
            isLast = true
            settle()
        default:
            settle()
        }
    }

    /// Bytes that were to become a request, and will not.
    private func recordRest() {
        guard !leftover.isEmpty else { return }
        let place = RecordedRequest.Place(
            connection: number, exchange: exchangeCount, received: loop.now, tunnel: tunnel)
        let request = RecordedRequest(leftover, nil, .init(), .malformed("the end of the connection in a head"), place)
        record.change { $0.requests.append(request) }
        leftover = []
    }

    // MARK: Working

    /// Goes on with what was read before.
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

    /// Goes on after a wait, if it is the one that the ticket was for.
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

    /// Writes what is to be written, and watches for what can come next.
    func settle() {
        guard !isClosed else { return }
        flush()
        guard !isClosed else { return }
        if isLast, exchange == nil, output.isEmpty, !isLingering { endInOrder() }
        guard !isClosed else { return }
        watch()
    }

    private func watch() {
        var wanted: Interest = []
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
        // To see the client go. What it sends meanwhile waits, up to a limit.
        return exchange.head != nil && exchange.reader.isDone && leftover.count < 64 << 10
    }

    // MARK: Ending

    /// Ends the connection so that all that was written arrives.
    func endInOrder() {
        guard mustLinger || !leftover.isEmpty, !inputHasEnded else {
            end(.closedByServer)
            return
        }
        // Closing now would reset the connection, if the client is still sending, and what it has not read yet were lost.
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
        // Who hears of the end finds the connection closed.
        loop.forget(self)
        record.change { $0.ended(number, state) }
    }
}
