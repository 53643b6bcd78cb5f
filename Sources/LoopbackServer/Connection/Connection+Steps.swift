extension Connection {
    private static let roomForOutput = 1 << 20
    private static let longestTurn = 8 << 20

    /// Runs steps until one has to wait. Returns true at the end of the exchange.
    func run() -> Bool {
        guard let exchange else { return true }
        switch waiting {
        case .ticket, .end: return false
        case .output where !output.isEmpty && !drained(): return false
        default: waiting = .nothing
        }
        while exchange.at < exchange.steps.count {
            guard take(exchange.steps[exchange.at], of: exchange) else { return false }
            if isClosed || isLingering || self.exchange !== exchange { return false }
        }
        finishExchange(exchange)
        return true
    }

    /// Runs a step. Returns false if it has to wait.
    private func take(_ step: Step, of exchange: Exchange) -> Bool {
        switch step {
        case .readHalf: return read(of: exchange, onlyHalf: true)
        case .read: return read(of: exchange, onlyHalf: false)
        case .respond(let responder): return respond(responder, exchange)
        case .write(let segment):
            append(segment)
            exchange.at += 1
            return output.count < Self.roomForOutput || drained()
        case .generate(let from, let to, let chunk): return generate(from, to, chunk, exchange)
        case .stream(let stream, let isChunked, let onlyFirst):
            return write(stream, isChunked, onlyFirst, exchange)
        case .throttle(let throttle):
            guard drained() else { return false }
            pace.set(throttle ?? lasting)
            exchange.at += 1
            return true
        case .action(let kind):
            // All earlier output is sent first.
            guard drained() else { return false }
            return act(kind, exchange)
        }
    }

    // MARK: Reading and responding

    private func read(of exchange: Exchange, onlyHalf: Bool) -> Bool {
        exchange.reader.read(&window, onlyHalf: onlyHalf)
        if let reason = exchange.reader.broken {
            refuse(reason, 400)
            return false
        }
        guard exchange.reader.isDone || onlyHalf && exchange.reader.isHalfDone else {
            waiting = .input
            return false
        }
        if exchange.reader.isDone { recordIfNeeded(exchange) }
        exchange.at += 1
        return true
    }

    private func respond(_ responder: Responder, _ exchange: Exchange) -> Bool {
        let request = exchange.request()
        switch responder {
        case .prepared(let prepared):
            setResponse(exchange, Result { prepared.response })
            return true
        case .handler(let handler):
            setResponse(exchange, Result { try handler(request) })
            return true
        case .task(let handler):
            let ticket = nextTicket()
            let reply = reply { connection, result in
                guard let exchange = connection.exchange, ticket == connection.ticket else { return }
                connection.setResponse(exchange, result)
                connection.resume(ticket)
            }
            exchange.task = Task {
                do { reply(.success(try await handler(request))) } catch { reply(.failure(error)) }
            }
            return false
        }
    }

    private func setResponse(_ exchange: Exchange, _ result: Result<Response, any Error>) {
        switch result {
        case .success(let response):
            // The moments of the request have passed, so their actions run now.
            let missed = response.actions(at: .requestHead) + response.actions(at: .requestBody)
            exchange.replaceStep(by: missed + answering(response, exchange))
        case .failure(let error):
            let response = Response.text("The handler threw: \(error)\n", status: 500)
            exchange.replaceStep(by: answering(response, exchange))
        }
    }

    /// Returns a closure for other threads. It runs `body` on the thread of the server if the connection still exists.
    private func reply<Value: Sendable>(
        _ body: @escaping @Sendable (Connection, Value) -> Void
    ) -> @Sendable (Value) -> Void {
        let mailbox = loop.core.mailbox
        let (descriptor, number) = (descriptor, number)
        return { value in
            mailbox.post { loop in
                guard let connection = loop.connection(descriptor, number) else { return }
                body(connection, value)
            }
        }
    }

    private func resumption() -> @Sendable () -> Void {
        let ticket = nextTicket()
        let reply = reply { (connection: Connection, _: Void) in connection.resume(ticket) }
        return { reply(()) }
    }

    // MARK: Writing

    func append(_ segment: Segment) {
        if !isMute { output.append(segment) }
    }

    /// Writes as much as the socket takes.
    func flush() {
        while !output.isEmpty, pace.canWrite {
            let written = output.write(to: descriptor, atMost: pace.writable)
            if written > 0 {
                pace.didWrite(written)
                turn += written
            } else if written < 0, errno == EAGAIN {
                return
            } else if written == 0 || errno != EINTR {
                end(.resetByClient)
                return
            }
        }
    }

    /// Writes all pending output. Returns false if that has to wait; the exchange continues afterwards.
    private func drained() -> Bool {
        flush()
        if isClosed { return false }
        if output.isEmpty, turn < Self.longestTurn { return true }
        waiting = .output
        return false
    }

    private func generate(_ from: Int, _ to: Int, _ chunk: Int, _ exchange: Exchange) -> Bool {
        var position = from
        while position < to {
            var end = to
            if chunk > 0 {
                end = min(to, position + chunk)
                append(Segment(Block(Array("\(String(end - position, radix: 16))\r\n".utf8))))
            }
            // A chunk is appended whole. Bytes without chunks are appended up to the limit.
            while position < end, chunk > 0 || output.count < Self.roomForOutput {
                let segment = Filler.segment(from: position, upTo: end)
                append(segment)
                position += segment.count
            }
            if chunk > 0 { append(Segment(Self.lineEnd)) }
            if output.count >= Self.roomForOutput, !drained() {
                if isClosed { return false }
                exchange.steps[exchange.at] = .generate(from: position, to: to, chunk: chunk)
                return false
            }
            if isMute { position = to }
        }
        exchange.at += 1
        return true
    }

    private static let lineEnd = Block(Array("\r\n".utf8))

    private func write(_ stream: ResponseStream, _ isChunked: Bool, _ onlyFirst: Bool, _ exchange: Exchange) -> Bool {
        exchange.stream = stream
        while true {
            guard drained() else { return false }
            let resumption = resumption()
            let portion = stream.take(resumption)
            if case .later = portion { return false }
            waiting = .nothing
            switch portion {
            case .later: return false
            case .bytes(let block):
                if isChunked { append(Segment(Block(Array("\(String(block.count, radix: 16))\r\n".utf8)))) }
                append(Segment(block))
                if isChunked { append(Segment(Self.lineEnd)) }
                if onlyFirst {
                    exchange.at += 1
                    return true
                }
            case .end:
                exchange.at += 1
                return true
            case .failure:
                breakOff()
                return false
            }
        }
    }

    /// Closes the connection without a reset in the middle of a response.
    func breakOff() {
        if let exchange {
            recordIfNeeded(exchange)
            exchange.cancel()
        }
        exchange = nil
        exchangeCount += 1
        mustLinger = true
        isLast = true
        window = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    // MARK: Actions

    /// Runs a delay, a gate or a fault. Returns false if the exchange does not continue at once.
    private func act(_ kind: Response.Action.Kind, _ exchange: Exchange) -> Bool {
        exchange.at += 1
        switch kind {
        case .pause(let delay):
            let ticket = nextTicket()
            loop.after(delay) { [weak self] in self?.resume(ticket) }
            return false
        case .hold(let gate):
            gate.pass(resumption())
            return false
        case .fail(let effect):
            return fail(effect, exchange)
        }
    }

    private func fail(_ effect: Fault.Effect, _ exchange: Exchange) -> Bool {
        switch effect.kind {
        case .close:
            end(.closedByServer)
        case .reset:
            end(.resetByServer)
        case .halfClose:
            Socket.endWriting(descriptor)
            isMute = true
            // The server still reads this request and later ones.
            exchange.cancel()
            exchange.steps = exchange.head == nil ? [] : [.read]
            exchange.at = 0
            return true
        case .stall(nil):
            waiting = .end
        case .stall(let gate?):
            gate.pass(resumption())
        case .throttle(let throttle):
            lasting = throttle
            pace.set(throttle)
            return true
        case .truncate:
            breakOff()
        case .garbage(let bytes):
            append(Segment(Block(bytes)))
            let isAtEnd = exchange.at == exchange.steps.count && exchange.head != nil && exchange.reader.isDone
            if isAtEnd, !exchange.closes { return true }
            breakOff()
        }
        return false
    }
}
