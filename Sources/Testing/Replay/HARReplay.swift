import Synchronization

/// A transport that responds from a recording, without a network.
///
/// ```swift
/// let replay = try HARReplay(file: file)
/// let api = Client(baseURL: url) { $0.transport = replay }
/// ```
///
/// A recorded exchange is found by the method, the server, the path, the query and the body of its request. The order of
/// query items and form fields and the format of JSON make no difference. Headers, streamed bodies and forms with files are
/// not compared. A recording does not have the secrets of its requests, but a few digits of a digest. These tell
/// `?code=DE` from `?code=FR`, and are too few to confirm a guess. A request with secrets that were not recorded gets the
/// responses of such requests in their order.
///
/// The response to a request that was cancelled does not arrive, so the replay ends as the recorded run did. A header that is
/// secret as a whole, such as a `Set-Cookie`, is left out of a response, except a `Location`, which leads to the next
/// recorded request.
///
/// A request that was not recorded fails with `RequestError.Code.noStub`. The error names the nearest recorded request and
/// the difference. It is not sent again by a retry policy.
public final class HARReplay: Transport {
    /// The rules by which a recorded exchange is found.
    public enum Matching: Sendable, Hashable {
        /// All parts are compared. Equal requests get the recorded responses in their order, each once.
        case strict
        /// The server and the body make no difference. The last response of equal requests is repeated.
        case lenient
    }

    fileprivate struct State {
        var used: Set<Int> = []
        var misses: [String] = []
        var isShutDown = false
        /// The exchanges to which redirects have led.
        var next: Set<Int> = []
        /// The recorded requests, for the rules of redaction of the newest request.
        var requests: Requests?
    }

    /// The recorded requests by some rules of redaction.
    fileprivate struct Requests {
        let redaction: Redaction
        let shapes: [RequestShape]
        /// The requests that differ in their secrets only: the numbers of the unused ones of each kind, the last one first.
        private(set) var equal: [RequestShape: [Kind: [Int]]] = [:]
        private let kinds: [Kind]

        struct Kind: Hashable {
            let digest: String?
            /// A Boolean value that indicates whether the response is for conditional requests only.
            let isNotModified: Bool
        }

        init(_ recording: Recording, _ redaction: Redaction, used: Set<Int>) {
            self.redaction = redaction
            shapes = recording.exchanges.map { RequestShape($0, redaction, recording.digest) }
            kinds = zip(shapes, recording.exchanges).map { shape, exchange in
                Kind(digest: shape.digest, isNotModified: exchange.response?.status == .notModified)
            }
            for index in shapes.indices.reversed() {
                let unused = used.contains(index) ? [] : [index]
                equal[shapes[index].withoutDigest, default: [:]][kinds[index], default: []] += unused
            }
        }

        mutating func use(_ index: Int) {
            let (shape, kind) = (shapes[index].withoutDigest, kinds[index])
            guard let place = equal[shape]?[kind]?.lastIndex(of: index) else { return }
            equal[shape]?[kind]?.remove(at: place)
        }
    }

    /// The recording.
    public let recording: Recording
    /// The rules by which an exchange is found.
    public let matching: Matching
    private let state = Mutex(State())
    /// The transport of the requests that were cancelled, to which no response arrives.
    private let silence: MockTransport

    /// Creates a transport that responds from a file.
    ///
    /// - Throws: A ``RecordingError`` if the file cannot be read, is incomplete, or has an unknown version.
    public convenience init(file: URL, matching: Matching = .strict) throws(RecordingError) {
        self.init(try Recording(file: file), matching: matching)
    }

    /// Creates a transport that responds from a recording.
    public init(_ recording: Recording, matching: Matching = .strict) {
        self.recording = recording
        self.matching = matching
        silence = MockTransport()
        silence.stub(where: { _ in true }, .never)
    }

    /// The recorded exchanges that no request has got. Those that were cancelled are left out, because a call may be cancelled
    /// before it sends a request.
    public var unused: [Recording.Exchange] {
        let used = state.withLock(\.used)
        return recording.exchanges.indices.filter { !used.contains($0) && !recording.exchanges[$0].isCancelled }
            .map { recording.exchanges[$0] }
    }

    /// Throws an error that lists the requests without a recorded exchange and the exchanges that no request has got, if
    /// there are any.
    public func verify() throws(RecordingError) {
        let misses = state.withLock(\.misses)
        let unused = unused
        guard !misses.isEmpty || !unused.isEmpty else { return }
        var lines = ["the run differs from its recording:"]
        lines += misses.map { "  not recorded: \($0)" }
        lines += unused.map { "  not requested: \($0)" }
        throw RecordingError(message: lines.joined(separator: "\n"))
    }

    // MARK: Transport

    public var capabilities: TransportCapabilities { .ofMocks }

    public func start(
        _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
    ) -> TransportTask {
        let result = Result { () throws(RequestError) in
            if state.withLock(\.isShutDown) { throw RequestError.shutDown(request) }
            if let refusal = capabilities.refusal(of: request, options: options) { throw refusal }
            return try exchange(for: request)
        }
        if case .success(let exchange) = result, exchange.isCancelled, exchange.response == nil {
            return silence.start(request, options: options, completion: completion)
        }
        completion { [self] in try response(of: try result.get(), to: request, options) }
        return .completed
    }

    public func shutdown() async {
        state.withLock { $0.isShutDown = true }
        await silence.shutdown()
    }

    private func response(
        of exchange: Recording.Exchange, to request: HTTPRequest, _ options: TransportOptions
    ) throws(RequestError) -> HTTPResponse {
        guard var response = exchange.response else {
            throw RequestError(
                exchange.error ?? .connectionLost, phase: .receive,
                detail: "the recorded request failed with this error",
                request: request)
        }
        guard exchange.isComplete || request.method == .head else {
            throw RequestError(
                .noStub, phase: .receive,
                detail: "the recording does not have the body of this response, which was streamed or too long: "
                    + "record it with a request that takes the whole body, and a higher limit",
                request: request)
        }
        response.request = request
        if request.method == .head { response.body = Data() }
        if let error = options.excess(of: response.body.count, after: 0, in: response.head) {
            throw error.with(request)
        }
        return response
    }

    private func exchange(for request: HTTPRequest) throws(RequestError) -> Recording.Exchange {
        let redaction = request.redaction.knowing(request)
        var shape = RequestShape(request, redaction)
        shape.digest = recording.digest.value(of: request, redaction).map { SecretDigest.digits($0) }
        let isConditional = request.headers.contains("If-None-Match") || request.headers.contains("If-Modified-Since")
        let choice = state.withLock { state in
            state.readRequests(of: recording, request.redaction)
            // No variable holds the lists while one of them changes, because that would copy it.
            let choice = matching.choose(
                for: shape, from: state.requests?.shapes ?? [],
                equal: (state.requests?.equal[shape.withoutDigest] ?? [:])
                    .filter { isConditional || !$0.key.isNotModified }.map { ($0.key.digest, $0.value) },
                isUsed: state.used.contains, next: state.next
            ) { index in
                isConditional || recording.exchanges[index].response?.status != .notModified
            }
            switch choice {
            case .exchange(let index):
                state.used.insert(index)
                state.next.remove(index)
                state.requests?.use(index)
                if let next = recording.exchanges[index].next { state.next.insert(next) }
            case .miss(let text): state.misses.append("\(shape.method) \(shape.origin)\(shape.path): \(text)")
            }
            return choice
        }
        switch choice {
        case .exchange(let index): return recording.exchanges[index]
        case .miss(let text):
            throw RequestError(
                .noStub, phase: .prepare, detail: "no exchange was recorded for this request: \(text)", request: request
            )
        }
    }
}

extension HARReplay.State {
    fileprivate mutating func readRequests(of recording: Recording, _ redaction: Redaction) {
        // The secrets of single requests have been replaced already.
        let redaction = recording.isRedacted ? redaction.byPlace : redaction
        if requests?.redaction != redaction { requests = HARReplay.Requests(recording, redaction, used: used) }
    }
}

extension HARReplay: CustomStringConvertible {
    /// The rules of the replay, and the number of exchanges that no request has got.
    public var description: String {
        "HARReplay, \(matching), \(unused.count) of \(recording.exchanges.count) exchanges unused"
    }
}
