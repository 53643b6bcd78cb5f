extension Connection {
    /// Reads requests and responds to them, until bytes are missing or a step waits.
    func advance() {
        while !isClosed, !isLingering {
            if exchange != nil {
                guard run() else { return }
            } else if isLast || inputHasEnded && window.isEmpty {
                isLast = isLast || inputHasEnded
                return
            } else {
                guard beginRequest() else { return }
            }
        }
    }

    /// Runs the steps at the acceptance of the connection.
    func begin(_ steps: [Step]) {
        exchange = Exchange(steps, RecordedRequest.Place(connection: number, exchange: 0, received: loop.now))
        turn = 0
        work()
    }

    /// Reads a head, and responds at once if the response is prepared. Returns false without a complete, valid head.
    private func beginRequest() -> Bool {
        guard !window.isEmpty else { return false }
        switch HeadParser.parse(window) {
        case .incomplete:
            return false
        case .malformed(let reason, let status):
            recordMalformed(Array(window.prefix(HeadParser.limit)), reason)
            refuse(reason, status)
            return false
        case .head(let head):
            let bytes = UnsafeRawBufferPointer(rebasing: window[..<head.end])
            window = UnsafeRawBufferPointer(rebasing: window[head.end...])
            begin(head, bytes)
            return true
        }
    }

    /// Writes a last response, and closes the connection.
    func refuse(_ reason: String, _ status: Int) {
        breakOff()
        let response = Response.text("The request has \(reason).\n", status: status).closing()
        for case .write(let segment) in ResponseEncoder(response: response).steps() { append(segment) }
    }

    func recordMalformed(_ bytes: [UInt8], _ reason: String) {
        let request = RecordedRequest(bytes, nil, .init(), .malformed(reason), place)
        record.change { $0.requests.append(request) }
    }

    private var place: RecordedRequest.Place {
        RecordedRequest.Place(connection: number, exchange: exchangeCount, received: loop.now, tunnel: tunnel)
    }

    private func begin(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer) {
        let method = UnsafeRawBufferPointer(rebasing: bytes[head.methodStart..<head.methodEnd])
        let path = UnsafeRawBufferPointer(rebasing: bytes[head.pathStart..<head.pathEnd])
        let responder = loop.core.script.withLock { script in
            path.isEmpty
                ? Self.root.withUnsafeBytes { script.next(method: method, path: $0) }
                : script.next(method: method, path: path)
        }
        let isHead = method.elementsEqual("HEAD".utf8)
        let isConnect = method.count == 7 && method.elementsEqual("CONNECT".utf8)
        if case .prepared(let response) = responder, let block = isHead ? response.simpleHead : response.simple,
            !head.hasBody, head.minorVersion == 1, !head.closes, !head.expectsContinue, !isConnect, !isMute
        {
            respondAtOnce(block, head, bytes)
            return
        }
        let asked = ResponseEncoder.Asked(
            isHead: isHead, isConnect: isConnect, minorVersion: head.minorVersion, keepsAlive: head.isPersistent,
            namesKeepAlive: head.keepsAlive)
        let exchange = Exchange(
            head, Array(bytes), asked, place, BodyReader(head, keeping: loop.core.bodies), [])
        exchange.steps = steps(responder, head, exchange)
        self.exchange = exchange
        if !exchange.reader.isDone {
            record.change { $0.events.append(.head(connection: number, exchange: exchangeCount)) }
        }
    }

    /// The fast path, which runs a hundred thousand times a second.
    private func respondAtOnce(_ block: Block, _ head: RequestHead, _ bytes: UnsafeRawBufferPointer) {
        append(Segment(block))
        let request = RecordedRequest(Array(bytes), head, .init(), nil, place)
        record.change { record in
            record.requests.append(request)
            record.events.append(.request(connection: number, exchange: exchangeCount))
            record.events.append(.answered(connection: number, exchange: exchangeCount))
        }
        exchangeCount += 1
        if output.count > 256 << 10 { flush() }
    }

    private static let root = [Byte.slash]

    // MARK: Steps

    private static let continuing = Block(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))

    private func steps(_ responder: Responder, _ head: RequestHead, _ exchange: Exchange) -> [Step] {
        if isMute { return [.read] }
        let expects = head.expectsContinue && head.minorVersion == 1 && head.hasBody
        guard case .prepared(let prepared) = responder else {
            return (expects ? [.write(Segment(Self.continuing))] : []) + [.read, .respond(responder)]
        }
        let response = prepared.response
        var steps = response.actions(at: .requestHead)
        if response.isEarly { return steps + answering(response, exchange) + (exchange.closes ? [] : [.read]) }
        if expects, response.continues { steps.append(.write(Segment(Self.continuing))) }
        let half = response.actions(at: .requestBody)
        if !half.isEmpty { steps += [.readHalf] + half }
        return steps + [.read] + answering(response, exchange)
    }

    /// Returns the steps of a response. Sets whether the connection closes after it.
    func answering(_ response: Response, _ exchange: Exchange) -> [Step] {
        let encoder = ResponseEncoder(response: response, asked: exchange.asked)
        exchange.closes = encoder.closes
        return encoder.steps()
    }

    func finishExchange(_ exchange: Exchange) {
        if exchange.head != nil {
            recordIfNeeded(exchange)
            if !isMute { record.change { $0.events.append(.answered(connection: number, exchange: exchangeCount)) } }
            exchangeCount += 1
            if exchange.asked.isConnect, !isMute {
                tunnel = RecordedRequest(exchange.headBytes, exchange.head, .init(), nil, place).target
            }
        }
        if exchange.closes, !isMute {
            isLast = true
            mustLinger = mustLinger || !exchange.reader.isDone || !window.isEmpty
        }
        self.exchange = nil
    }

    func recordIfNeeded(_ exchange: Exchange) {
        guard !exchange.isRecorded else { return }
        exchange.isRecorded = true
        let isWhole = exchange.reader.isDone
        let problem: RecordedRequest.Problem? =
            if let reason = exchange.reader.broken { .malformed(reason) } else { isWhole ? nil : .incomplete }
        let request = exchange.request(problem)
        record.change { record in
            record.requests.append(request)
            if isWhole { record.events.append(.request(connection: number, exchange: exchangeCount)) }
        }
    }
}

extension BodyReader {
    var content: RecordedRequest.Content {
        RecordedRequest.Content(
            body: .init(bytes), count: count, digest: keepsAll ? nil : digest, chunkSizes: chunkSizes,
            trailers: HeaderLines(trailers))
    }
}
