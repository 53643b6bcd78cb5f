#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension HAREntry {
    /// Creates the entry of an attempt.
    ///
    /// - Parameters:
    ///   - request: The request with its body: see ``request(of:_:_:)``.
    ///   - response: The response; nil if the attempt has none.
    ///   - hasBody: False if the body of the response was streamed.
    ///   - limit: The highest number of bytes of a body.
    init(
        _ attempt: Attempt, _ request: HTTPRequest, _ response: HTTPResponse?, hasBody: Bool, of call: AnyCall,
        _ limit: Int
    ) {
        let redaction = (call.core.plan.redaction ?? .standard).knowing(request, response)
        let now = ContinuousClock.now
        let elapsed = attempt.started.duration(to: attempt.ended ?? now)
        var metrics = attempt.metrics ?? response?.metrics ?? AttemptMetrics()
        metrics.queued = attempt.queued ?? metrics.queued
        self.init(
            started: attempt.started.duration(to: now), request: request,
            version: response.map { "\($0.version)" } ?? "",
            response: response.map { Response($0, redaction, limit: limit) } ?? Response(),
            Timings(metrics, elapsed: elapsed), redaction, limit: limit)
        if let error = attempt.error {
            self.response._error = redaction.redact(text: ErrorText.of(error))
            self.response._code = (error as? RequestError)?.code.rawValue
        }
        if attempt.error is CancellationError || attempt.ended == nil { self.response._code = Self.cancelled }
        if let response, !hasBody, metrics.bodyBytesReceived > 0 { self.response.content = .streamed(response) }
        serverIPAddress = metrics.remoteAddress.map(Self.host)
        _call = call.id
        _attempt = attempt.number
        _cause = "\(attempt.cause)"
        _request = call.core.plan.declaration
    }

    /// Returns the request of an attempt with its body, which the log of attempts does not have.
    static func request(of attempt: Attempt, _ response: HTTPResponse?, _ call: AnyCall) -> HTTPRequest {
        var request = attempt.request
        if let message = response?.request ?? call.core.exchanged.request, message.method == request.method {
            request.body = message.body
        }
        return request
    }

    /// Creates the entry of a response from the cache.
    init(_ response: HTTPResponse, of call: AnyCall, _ limit: Int) {
        let request = response.request ?? call.core.newestRequest
        let redaction = (call.core.plan.redaction ?? .standard).knowing(request, response)
        self.init(
            started: .zero, request: request, version: "\(response.version)",
            response: Response(response, redaction, limit: limit), Timings(), redaction, limit: limit)
        _call = call.id
        _request = call.core.plan.declaration
        _cache =
            switch response.source {
            case .network: nil
            case .cache(_, let isStale): isStale ? "stale" : "fresh"
            case .validated: "validated"
            }
    }

    /// - Parameter started: The time since the start.
    private init(
        started: Duration, request: HTTPRequest?, version: String, response: Response, _ timings: Timings,
        _ redaction: Redaction, limit: Int
    ) {
        let date = Date.now.addingTimeInterval(-(started / .seconds(1)))
        self.init(
            startedDateTime: ISO8601.text(milliseconds: ISO8601.milliseconds(of: date) ?? 0), time: timings.sum,
            request: request.map { Request($0, version: version, redaction, limit: limit) }
                ?? Request(method: "", url: "", httpVersion: "", headers: [], queryString: [], bodySize: -1),
            response: response, timings: timings)
    }

    /// Returns the host of an address with a port.
    private static func host(of address: String) -> String {
        guard let colon = address.lastIndex(of: ":") else { return address }
        return address[..<colon].filter { $0 != "[" && $0 != "]" }
    }
}
