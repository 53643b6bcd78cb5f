import Synchronization

/// The portions of one response, with their delays and timeouts on a clock.
final class MockPlayback: BodySource {
    private struct State {
        var timeline: MockTimeline
        var next = 0
        var received = 0
        var firstByte: Duration?
        var failure: (any Error)?
        /// The wait of a reader.
        var sleep: Task<Void, any Error>?
        var isEnded = false
    }

    private let message: MockMessage
    private let request: HTTPRequest
    private let options: TransportOptions
    private let clock: any Clock<Duration>
    private let sent: Int
    private let state: Mutex<State>

    init(
        _ message: MockMessage, to request: HTTPRequest, sent: Int, _ options: TransportOptions,
        clock: any Clock<Duration>
    ) {
        self.message = message
        self.request = request
        self.sent = sent
        self.options = options
        self.clock = clock
        state = Mutex(State(timeline: MockTimeline(options.timeouts)))
    }

    /// Waits for the head, and for the whole body if the options say so.
    func response(after delay: Duration) async throws -> HTTPResponse {
        options.progress?.phase = .wait
        if delay > .zero { try await wait(delay) }
        guard message.hasHead else { try await fail() }
        var response = message.head
        response.request = request
        let hasBody = request.method != .head && !response.isBodiless
        options.progress?.phase = .receive
        response.metrics.bodyBytesSent = sent
        response.metrics.firstByte = state.withLock { state in
            state.firstByte = .nanoseconds(state.timeline.elapsed)
            return state.firstByte
        }
        guard hasBody else {
            response.metrics.finished = response.metrics.firstByte
            return response
        }
        let total = message.portions.map(\.count).reduce(0, +)
        if case .whole = message.end, !response.isDecoded {
            options.progress?.note { $0.receivedTotal = total }
        }
        guard case .whole = options.delivery else {
            var streamed = HTTPResponse(
                status: response.status, reason: response.reason, version: response.version, headers: response.headers,
                stream: BodyStream(self), request: request, metrics: response.metrics)
            streamed.isDecoded = response.isDecoded
            return streamed
        }
        do {
            while let portion = try await next() {
                if let error = options.excess(of: portion.count, after: response.body.count, in: response) {
                    throw measured(error)
                }
                response.body.append(portion)
            }
        } catch var error as RequestError where error.response == nil {
            error.response = response
            throw error
        }
        if let ending { response.metrics = ending.metrics }
        return response
    }

    // MARK: Body

    func next() async throws -> Data? {
        let number = try state.withLock { state -> Int in
            if let failure = state.failure { throw failure }
            return state.next
        }
        guard number < message.portions.count else {
            switch message.end {
            case .whole:
                state.withLock { $0.isEnded = true }
                return nil
            case .failure, .never: try await fail()
            }
        }
        if number > 0, message.interval > .zero { try await wait(message.interval) }
        let portion = message.portions[number]
        let received = state.withLock { state in
            state.next += 1
            state.received += portion.count
            return state.received
        }
        options.progress?.note { $0.received = received }
        options.onEvent?(.received(bytes: received, of: options.progress?.snapshot.receivedTotal))
        return portion
    }

    func cancel() {
        end(with: CancellationError())
    }

    /// Ends the body with an error, also for a reader that waits, unless it has ended.
    func end(with error: any Error) {
        let sleep = state.withLock { state -> Task<Void, any Error>? in
            guard !state.isEnded, state.failure == nil else { return nil }
            state.failure = error
            return state.sleep
        }
        sleep?.cancel()
    }

    func shutDown() {
        end(with: RequestError.shutDown(request))
    }

    var ending: BodyStream.Ending? {
        state.withLock { state in
            guard state.isEnded else { return nil }
            return BodyStream.Ending(trailers: message.head.trailers, metrics: metrics(in: state))
        }
    }

    private func metrics(in state: State) -> AttemptMetrics {
        var metrics = message.head.metrics
        metrics.bodyBytesSent = sent
        metrics.bodyBytesReceived = state.received
        metrics.firstByte = state.firstByte
        metrics.finished = .nanoseconds(state.timeline.elapsed)
        return metrics
    }

    // MARK: Time and failures

    private func wait(_ duration: Duration?) async throws {
        switch state.withLock({ $0.timeline.wait(duration) }) {
        case .passes: try await sleep(duration)
        case .timesOut(let code, let time):
            try await sleep(time)
            throw remember(error(code, options.detail(of: code)))
        case nil: try await sleep(nil)
        }
    }

    /// Sleeps on the clock, until the body is cancelled. With nil, nothing else ends the sleep.
    private func sleep(_ duration: Duration?) async throws {
        let task = Task { [clock] in
            if let duration { return try await clock.wait(for: duration) }
            for await _ in AsyncStream<Never>.makeStream().stream {}
            throw CancellationError()
        }
        let isOver = state.withLock { state in
            state.sleep = task
            return state.failure != nil
        }
        if isOver { task.cancel() }
        do {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch {
            // The failure says why the sleep was cancelled.
            throw state.withLock(\.failure) ?? error
        }
    }

    /// Throws the error at the end of the message.
    private func fail() async throws -> Never {
        if case .failure(let code, let detail) = message.end { throw remember(error(code, detail)) }
        try await wait(nil)
        throw CancellationError()
    }

    private func error(_ code: RequestError.Code, _ detail: String) -> RequestError {
        let hasBegun = state.withLock { $0.firstByte != nil }
        return measured(RequestError(code, phase: hasBegun ? .receive : .wait, detail: detail, request: request))
    }

    private func measured(_ error: RequestError) -> RequestError {
        var error = error.with(request)
        error.metrics = state.withLock { metrics(in: $0) }
        return error
    }

    private func remember(_ error: RequestError) -> any Error {
        state.withLock { state in
            let failure = state.failure ?? error
            state.failure = failure
            return failure
        }
    }
}

extension Body {
    /// Reads the body as a transport does.
    func bytes(onPortion: (Int) -> Void) async throws -> Data? {
        switch content {
        case .none: return nil
        case .data(let data):
            onPortion(data.count)
            return data
        case .file(let file):
            let data: Data
            do {
                data = try Data(contentsOf: file)
            } catch {
                throw RequestError(
                    .badBody, phase: .prepare,
                    detail:
                        "the file \(file.path.debugDescription) cannot be opened: check its path and its permissions")
            }
            onPortion(data.count)
            return data
        case .stream(let stream):
            var all = Data()
            do {
                let reader = try stream.makeReader()
                while let portion = try await reader() {
                    all += portion
                    onPortion(all.count)
                }
            } catch let error as CancellationError where Task.isCancelled {
                throw error
            } catch {
                throw RequestError.badBody(error)
            }
            return all
        }
    }
}
