import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request and its response.
///
/// The delegate of its session fills it, one call after the other; its caller, and then the reader of its body, take out of
/// it what is there. All that they share is in one state, and nobody is called while it is locked.
final class SessionTransfer: Sendable {
    enum Ending: Sendable {
        case success
        indirect case failure(RequestError)
        case cancelled
    }

    let request: HTTPRequest
    let options: TransportOptions
    let seat: SessionTurns.Seat
    /// Whether no connection may be used that is open already: what is sent on it might be sent again.
    let needsNewConnection: Bool
    let decodes: Bool
    let buffer: Int
    private let upload: (any SessionUpload)?
    let state: Mutex<State>

    init(_ request: HTTPRequest, options: TransportOptions, in core: SessionCore) throws {
        self.request = request
        self.options = options
        decodes =
            options.decompression != nil && !request.headers.contains("Accept-Encoding")
            && !request.headers.contains("Range")
        buffer = max(core.configuration.buffer, 1)
        upload = try SessionPlatform.upload(of: request)
        let isStream = options.delivery == .stream || upload?.mayWait == true
        seat = SessionTurns.Seat(host: request.sessionHost, isStream: isStream)
        needsNewConnection = !request.isIdempotent && upload.map { $0.length == 0 } ?? true
        state = Mutex(State(core: core))
    }

    /// What `URLSession` is asked to send.
    var urlRequest: URLRequest {
        var request = URLRequest(url: self.request.url)
        request.httpMethod = self.request.method.rawValue
        request.cachePolicy = .reloadIgnoringLocalCacheData
        request.httpShouldHandleCookies = false
        // Time is kept here.
        request.timeoutInterval = 10 * 365 * 86_400
        let length: SessionFields.Length =
            upload.map { $0.length.map { .known($0) } ?? .unknown } ?? .none
        let fields = SessionFields(
            self.request.headers, method: self.request.method,
            contentType: upload == nil ? nil : self.request.body.contentType, length: length, decodes: decodes,
            suppresses: SessionPlatform.isLinux)
        for (name, value) in fields.fields { request.setValue(value, forHTTPHeaderField: name) }
        if let upload { request.httpBodyStream = upload.makeStream(for: self) }
        return request
    }

    /// Whether there are bytes to send.
    var hasBodyBytes: Bool { upload.map { $0.length != 0 } ?? false }

    // MARK: Beginning

    /// Its time runs from now on.
    func start() {
        let now = SessionTime.now()
        let isOver = state.withLock { state in
            state.started = now
            if let total = options.timeouts.total { state.totalDeadline = SessionTime.adding(total, to: now) }
            return state.totalDeadline <= now
        }
        guard !isOver else { return checkTime() }
        watch()
    }

    /// It has got its turn.
    func admit() {
        let now = SessionTime.now()
        state.withLock { state in
            state.isAdmitted = true
            state.lastActivity = now
        }
        watch()
    }

    /// Its task is about to be resumed.
    func begin(_ task: URLSessionDataTask) {
        state.withLock { $0.task = task }
    }

    /// Its task is under way. Whoever left meanwhile could not cancel it.
    func didBegin() {
        if state.withLock({ $0.ending != nil }) { cancelTask() }
    }

    var isOver: Bool { state.withLock { $0.ending != nil } }

    // MARK: What the delegate tells

    /// A stream to send the body from once more; nil where that must not be.
    func streamAgain() -> InputStream? {
        guard let upload else { return nil }
        if request.isIdempotent, request.body.isReplayable {
            state.withLock { $0.sent = 0 }
            return upload.makeStream(for: self)
        }
        let code: RequestError.Code = request.isIdempotent ? .bodyNotReplayable : .connectionLost
        fail(
            code,
            "the server closed the connection without an answer; "
                + (request.isIdempotent
                    ? "the body is a stream that can be read once"
                    : "a \(request.method) request is not sent again, as it may have been heard"),
            phase: .wait)
        return nil
    }

    func sent(_ count: Int) {
        let now = SessionTime.now()
        let length = upload?.length
        let (isFirst, sent) = state.withLock { state in
            defer { state.isConnected = true }
            state.lastActivity = now
            state.sent += count
            if state.sent == length { state.isSent = true }
            return (!state.isConnected, state.sent)
        }
        options.progress?.note {
            $0.sent = max($0.sent, sent)
            $0.sentTotal = length
        }
        options.onEvent?(.sent(bytes: sent, of: length))
        if isFirst { watch() }
    }

    func received(_ head: SessionHead) {
        let now = SessionTime.now()
        if 100..<200 ~= head.status, head.status != 101 {
            state.withLock { state in
                state.lastActivity = now
                state.isConnected = true
            }
            options.onEvent?(.informational(HTTPStatus(head.status), head.headers))
            return watch()
        }
        let waiter = state.withLock { state -> Waiter? in
            guard state.ending == nil else { return nil }
            state.lastActivity = now
            state.isConnected = true
            state.isSent = true
            state.head = head
            state.firstByte = now
            return options.delivery == .stream ? state.takeWaiter() : nil
        }
        if SessionPlatform.isLinux, head.headers.contains("Trailer") {
            fail(
                .unsupported, "the server announces trailers, which URLSession cannot receive on Linux", phase: .receive
            )
        }
        watch()
        waiter?.resume()
    }

    func received(_ data: Data) {
        guard !data.isEmpty else { return }
        let now = SessionTime.now()
        let (problem, total, announced) = state.withLock { state -> (RequestError?, Int, Int?) in
            guard state.ending == nil else { return (nil, 0, nil) }
            state.lastActivity = now
            let problem = self.problem(with: data.count, in: state)
            if problem == nil { state.total += data.count }
            return (problem, state.total, state.head?.isEncoded == true ? nil : state.head?.announcedLength)
        }
        if let problem { return settle(.failure(problem)) }
        guard total > 0 else { return }
        options.progress?.note {
            $0.received = max($0.received, total)
            $0.receivedTotal = announced
        }
        options.onEvent?(.received(bytes: total, of: announced))
        let (waiter, isFull) = state.withLock { state -> (Waiter?, Bool) in
            guard state.ending == nil else { return (nil, false) }
            guard options.delivery == .stream else {
                if state.whole.isEmpty { state.whole = data } else { state.whole.append(data) }
                return (nil, false)
            }
            state.portions.append(data)
            state.unread += data.count
            if state.unread >= buffer { state.isHeld = true }
            return (state.takeWaiter(), state.isHeld)
        }
        waiter?.resume()
        if isFull { hold() }
    }

    /// Its task is over.
    func completed(_ problem: (any Error)?, head: SessionHead?) {
        if let head, !isOver, state.withLock({ $0.head == nil }) { received(head) }
        if let problem {
            settle(.failure(error(for: problem)))
        } else {
            let hasHead = state.withLock { $0.head != nil }
            settle(
                hasHead
                    ? .success
                    : .failure(error(.connectionLost, "the connection ended without a response", phase: .wait)))
        }
        state.withLock { state -> SessionCore? in
            defer { state.core = nil }
            return state.core
        }?.ended(self)
    }

    /// Why so many more bytes must not be taken.
    private func problem(with count: Int, in state: State) -> RequestError? {
        if case .whole(let limit?) = options.delivery, count > limit - state.total {
            return .tooLarge(limit: limit, response: HTTPResponse(status: 0))
        }
        guard let decompression = options.decompression, state.head?.isEncoded == true else { return nil }
        let decoded = state.total + count
        let isAllowed =
            state.head?.announcedLength.map { decompression.allows(decoded, from: $0) }
            ?? (decoded <= decompression.limit ?? max(decompression.allowance, Self.mostOfUnknown))
        guard !isAllowed else { return nil }
        return error(
            .decompressionLimit, "it was decoded to more than \(decoded) bytes, which is not allowed", phase: .receive)
    }

    /// How much may become of an encoded body whose length nobody knows.
    private static let mostOfUnknown = 64 << 20

    // MARK: Room for more

    /// Has the server wait until the reader has caught up.
    private func hold() {
        let signal = state.withLock { $0.room }
        if SessionPlatform.isLinux {
            // This is the thread that would take more from the connection, and it belongs to this transfer alone.
            while state.withLock({ $0.isHeld && $0.ending == nil }) { signal.wait() }
        } else if let task = state.withLock(\.task) {
            task.suspend()
            // The reader may have caught up in between.
            if state.withLock({ !$0.isHeld }) { task.resume() }
        }
    }

    func release() {
        let now = SessionTime.now()
        let signal = state.withLock { state in
            state.isHeld = false
            state.lastActivity = now
            return state.room
        }
        if SessionPlatform.isLinux { signal.signal() } else { state.withLock(\.task)?.resume() }
        watch()
    }

    /// The body waits for its maker, or does not any more.
    func waitsForBody(_ waits: Bool) {
        let now = SessionTime.now()
        state.withLock { state in
            state.isConnected = true
            state.isBodyAwaited = waits
            state.lastActivity = now
        }
        watch()
    }

    // MARK: Ending

    func fail(_ code: RequestError.Code, _ detail: String, phase: RequestError.Phase, _ underlying: (any Error)? = nil)
    {
        var failure = error(code, detail, phase: phase)
        failure.underlying = underlying
        settle(.failure(failure))
    }

    /// The caller, or the reader, does not want it any more.
    func leave() {
        settle(.cancelled)
    }

    /// Ends it, unless it has ended: the first one says how.
    func settle(_ ending: Ending) {
        let now = SessionTime.now()
        let (isFirst, waiter, timer, signal, core) = state.withLock { state in
            guard state.ending == nil else {
                return (false, nil as Waiter?, nil as SessionTimer?, state.room, nil as SessionCore?)
            }
            state.ending = ending
            state.finished = now
            defer { state.timer = nil }
            let unbegun = state.task == nil ? state.core : nil
            return (true, state.takeWaiter(), state.timer, state.room, unbegun)
        }
        guard isFirst else { return }
        timer?.cancel()
        signal.signal()
        upload?.cancel()
        core?.withdraw(self)
        waiter?.resume()
        if case .success = ending { return }
        cancelTask()
    }

    /// The task's session may be in the middle of a call to here, which it waits for.
    private func cancelTask() {
        guard let task = state.withLock(\.task) else { return }
        SessionCore.control.async { task.cancel() }
    }
}

extension HTTPRequest {
    /// The server the request goes to, as a limit counts it.
    fileprivate var sessionHost: String {
        let scheme = url.scheme?.lowercased() ?? ""
        return "\(scheme):\(url.host?.lowercased() ?? ""):\(url.port ?? (scheme == "https" ? 443 : 80))"
    }
}
