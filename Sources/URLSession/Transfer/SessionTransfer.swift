#if canImport(Darwin) || URLSessionOnLinux
    import Synchronization

    /// A request and its response, transmitted by `URLSession`.
    ///
    /// The delegate of the session fills it, with one call at a time. The caller, and then the reader of the body, take
    /// the response from it. A lock guards the shared state. User code and continuations never run under the lock.
    final class SessionTransfer: Transfer {
        let request: HTTPRequest
        let options: TransportOptions
        let address: ServerAddress
        /// The key of the limits for the server.
        let host: String
        /// A Boolean value that indicates whether the request needs a new connection. If a reused connection breaks,
        /// libcurl sends the request again.
        let needsNewConnection: Bool
        let decodes: Bool
        /// The rules of trust for the host.
        let trust: SessionTrust
        let configuration: URLSessionTransport.Configuration
        private let upload: SessionUpload?
        let state: Mutex<State>

        init(
            _ request: HTTPRequest, to address: ServerAddress, options: TransportOptions, in core: SessionCore,
            completion: @escaping TransportCompletion
        ) throws {
            self.request = request
            self.address = address
            self.options = options
            decodes = options.decodes(request)
            configuration = core.configuration
            do {
                let rules = address.isSecure ? options.trust.rules(for: address.host) : .system
                trust = try core.trusts.find(rules, make: SessionTrust.init)
            } catch {
                throw RequestError(.badTrust, phase: .prepare, detail: error.text, request: request)
            }
            upload = try SessionUpload(request, configuration)
            host = address.origin
            needsNewConnection = options.needsNewConnection || SessionPlatform.isLinux && !request.isIdempotent
            state = Mutex(State(core: core, completion: completion))
        }

        var urlRequest: URLRequest {
            var request = URLRequest(url: self.request.url)
            request.httpMethod = self.request.method.rawValue
            request.cachePolicy = .reloadIgnoringLocalCacheData
            request.httpShouldHandleCookies = false
            request.allow(options.networks)
            // The transfer has timeouts of its own.
            request.timeoutInterval = 10 * 365 * 86_400
            let stream = upload?.makeStream(for: self)
            let length: SessionFields.Length =
                upload.map { $0.length.map { .known($0) } ?? .unknown } ?? .none
            let fields = SessionFields(
                self.request.headers, method: self.request.method,
                contentType: upload == nil ? nil : self.request.body.contentType, length: length, decodes: decodes,
                suppresses: SessionPlatform.isLinux)
            for (name, value) in fields.fields { request.setValue(value, forHTTPHeaderField: name) }
            if let stream { request.httpBodyStream = stream }
            return request
        }

        /// A Boolean value that indicates whether there are bytes to send.
        var hasBodyBytes: Bool { upload.map { $0.length != 0 } ?? false }

        // MARK: Beginning

        /// Starts the total timeout.
        func start() {
            let now = MonotonicTime.now()
            options.progress?.phase = .prepare
            let isOver = state.withLock { state in
                state.started = now
                if let limit = options.timeouts.whole.limit { state.wholeDeadline = now.adding(limit) }
                return state.wholeDeadline <= now
            }
            guard !isOver else { return checkTime() }
            watch()
        }

        func prepare(_ next: @escaping @Sendable () -> Void) {
            guard let upload, !upload.isPrepared else { return next() }
            let task = Task { @concurrent in
                do {
                    try await upload.prepare()
                    next()
                } catch {
                    failBody(error)
                }
            }
            let isOver = state.withLock { state in
                state.preparation = task
                return state.feed.ending != nil
            }
            if isOver { task.cancel() }
        }

        /// Starts the other timeouts, because the limits admit the transfer.
        func admit() {
            let now = MonotonicTime.now()
            state.withLock { state in
                state.isAdmitted = true
                state.lastActivity = now
            }
            // Without a body, connecting cannot be told from waiting.
            options.progress?.phase = hasBodyBytes ? .connect : nil
            watch()
        }

        /// Stores the task, which is resumed next.
        func begin(_ task: URLSessionDataTask) {
            state.withLock { $0.task = task }
        }

        /// Cancels the task if the transfer was cancelled before the task was resumed.
        func didBegin() {
            if state.withLock({ $0.feed.ending != nil }) { cancelTask() }
        }

        var isOver: Bool { state.withLock { $0.feed.ending != nil } }

        // MARK: Events of the delegate

        /// Returns a stream that sends the body once more, or nil if that is not allowed.
        func streamAgain() -> InputStream? {
            guard let upload else { return nil }
            if request.isIdempotent, request.body.isReplayable {
                state.withLock { $0.sent = 0 }
                return upload.makeStream(for: self)
            }
            let code: RequestError.Code = request.isIdempotent ? .bodyNotReplayable : .connectionLost
            fail(
                code,
                "the server closed the connection without a response; "
                    + (request.isIdempotent
                        ? "the body is a stream that can be read once: make it with a closure, `.stream { … }`"
                        : "a \(request.method) request is not sent again, because the server may have processed it: "
                            + "check that before you send it again"),
                phase: .wait)
            return nil
        }

        func sent(_ count: Int) {
            let now = MonotonicTime.now()
            let length = upload?.length
            let (isFirst, sent) = state.withLock { state in
                defer { state.isConnected = true }
                state.lastActivity = now
                state.sent += count
                if state.sent == length { state.isSent = true }
                return (!state.isConnected, state.sent)
            }
            options.progress?.phase = sent == length ? .wait : .send
            options.progress?.note {
                $0.sent = max($0.sent, sent)
                $0.sentTotal = length
            }
            options.onEvent?(.sent(bytes: sent, of: length))
            if isFirst { watch() }
        }

        func received(_ head: SessionHead) {
            let now = MonotonicTime.now()
            if 100..<200 ~= head.status, head.status != 101 {
                let step = state.withLock { state in
                    state.lastActivity = now
                    state.isConnected = true
                    return state.interim.add(length: 0, isObserved: options.onEvent != nil)
                }
                if step == .report { options.onEvent?(.informational(HTTPStatus(head.status), head.headers)) }
                return watch()
            }
            let hasTrailers = SessionPlatform.isLinux && head.headers.contains("Trailer")
            let isStream = options.delivery == .stream
            let waiter = state.withLock { state -> TransferFeed.Waiter? in
                guard state.feed.ending == nil else { return nil }
                state.lastActivity = now
                state.isConnected = true
                state.isSent = true
                // A stream that cannot end is not delivered.
                guard !hasTrailers || !isStream else { return nil }
                state.head = head
                state.firstByte = now
                state.feed.hasHead = isStream
                return state.feed.takeWaiter()
            }
            options.progress?.phase = .receive
            if hasTrailers {
                fail(
                    .unsupported,
                    "the server announces trailers, which URLSession cannot receive on Linux: use CurlTransport",
                    phase: .receive
                )
            }
            watch()
            waiter?.go(on: self)
        }

        func received(_ data: Data) {
            guard !data.isEmpty else { return }
            let now = MonotonicTime.now()
            let (problem, total, announced, isRedirect) = state.withLock { state -> (RequestError?, Int, Int?, Bool) in
                guard state.feed.ending == nil else { return (nil, 0, nil, false) }
                state.lastActivity = now
                let problem = self.problem(with: data.count, in: state)
                if problem == nil { state.total += data.count }
                let announced = state.head?.isEncoded == true ? nil : state.head?.headers.contentLength
                return (problem, state.total, announced, state.head.map { HTTPStatus($0.status).isFollowed } ?? false)
            }
            if let problem { return settle(.failure(problem)) }
            guard total > 0 else { return }
            if isRedirect { options.progress?.ignoreReceived() }
            options.progress?.note {
                $0.received = max($0.received, total)
                $0.receivedTotal = announced
            }
            options.onEvent?(.received(bytes: total, of: announced))
            let (waiter, isFull) = state.withLock { state -> (TransferFeed.Waiter?, Bool) in
                guard state.feed.ending == nil else { return (nil, false) }
                guard options.delivery == .stream else {
                    if state.whole.isEmpty { state.whole = data } else { state.whole.append(data) }
                    return (nil, false)
                }
                // There is no back-pressure on Linux.
                let isFull = state.feed.add(data, below: SessionPlatform.isLinux ? .max : buffer)
                return (state.feed.takeWaiter(), isFull)
            }
            waiter?.go(on: self)
            if isFull { pause() }
        }

        func measured(_ metrics: AttemptMetrics) {
            state.withLock { $0.measured = metrics }
        }

        /// Ends the transfer after its task has ended.
        func completed(_ problem: (any Error)?, head: SessionHead?) {
            if let head, !isOver, state.withLock({ $0.head == nil }) { received(head) }
            if let problem {
                settle(.failure(error(for: problem)))
            } else {
                let hasHead = state.withLock { $0.head != nil }
                settle(
                    hasHead
                        ? .success
                        : .failure(
                            error(
                                .connectionLost,
                                "the connection ended without a response: try again, if the request is idempotent",
                                phase: .wait)))
            }
            state.withLock { state -> SessionCore? in
                defer {
                    state.core = nil
                    // A task retains its session, whose connections close after the session is released.
                    state.task = nil
                }
                return state.core
            }?.ended(self)
        }

        /// The error if a number of further bytes must not be accepted, or nil.
        private func problem(with count: Int, in state: State) -> RequestError? {
            if let excess = options.excess(of: count, after: state.total) { return excess }
            if SessionPlatform.isLinux, options.delivery == .stream,
                state.feed.unread + count > max(configuration.unread, buffer)
            {
                return error(
                    .responseTooLarge,
                    "more than \(state.feed.unread) bytes wait for their reader, and URLSession on Linux has no back-pressure: "
                        + "read faster, or use CurlTransport",
                    phase: .receive)
            }
            // A response may be encoded although the request did not allow it.
            guard state.head?.isEncoded == true || state.head?.headers.isTransferEncoded == true else { return nil }
            let decompression = options.decodingLimits(decodes: decodes)
            let decoded = state.total + count
            let isAllowed =
                state.head?.headers.contentLength.map { decompression.allows(decoded, from: $0) }
                ?? (decoded <= decompression.limit ?? max(decompression.allowance, Self.largestOfUnknown))
            guard !isAllowed else { return nil }
            return error(
                .decompressionLimit,
                "the body was decoded to more than \(decoded) bytes: if you trust the server, raise the limits of `decompression`",
                phase: .receive)
        }

        /// The highest decoded length of a body whose encoded length is unknown.
        private static let largestOfUnknown = 64 << 20

        // MARK: Room for more

        /// The number of unread bytes of a stream at which the transfer is paused.
        var buffer: Int { configuration.buffer }

        /// Pauses the server until the reader has caught up.
        private func pause() {
            guard let task = state.withLock(\.task) else { return }
            task.suspend()
            // The reader may have caught up in the meantime.
            if state.withLock({ !$0.feed.isHeld }) { task.resume() }
        }

        func release() {
            let now = MonotonicTime.now()
            let task = state.withLock { state in
                state.feed.isHeld = false
                state.lastActivity = now
                return state.task
            }
            task?.resume()
            watch()
        }

        /// Records whether the transfer waits for the next portion of the user's stream.
        func waitsForBody(_ waits: Bool) {
            let now = MonotonicTime.now()
            state.withLock { state in
                state.isBodyAwaited = waits
                state.lastActivity = now
            }
            watch()
        }

        // MARK: Ending

        func fail(_ code: RequestError.Code, _ detail: String, phase: RequestError.Phase) {
            settle(.failure(error(code, detail, phase: phase)))
        }

        func fail(_ failure: TrustFailure, presented: PublicKeyPin?, saying text: String) {
            settle(.failure(error(failure, presented: presented, saying: text)))
        }

        func failBody(_ problem: any Error) {
            settle(.failure(RequestError.badBody(problem).with(request)))
        }

        /// Ends the transfer, because the caller or the reader does not need it any more.
        func leave() {
            settle(.cancelled)
        }

        /// Ends the transfer. The first ending counts.
        func settle(_ ending: TransferEnding) {
            let now = MonotonicTime.now()
            guard let end = state.withLock({ $0.end(ending, at: now) }) else { return }
            end.timer?.cancel()
            end.preparation?.cancel()
            upload?.cancel()
            end.core?.withdraw(self)
            // A waiter then finds the transfer cancelled.
            if case .success = ending {} else { cancelTask() }
            end.waiter?.go(on: self)
        }

        private func cancelTask() {
            guard let task = state.withLock(\.task) else { return }
            SessionCore.control.async { task.cancel() }
        }
    }
#endif
