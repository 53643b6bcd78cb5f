extension HAREntry {
    /// Creates the entry of an exchange.
    init(_ exchange: RecordedExchange, _ redaction: Redaction, limit: Int) {
        let redaction = redaction.knowing(nil, exchange.response)
        if let attempt = exchange.attempt {
            self.init(attempt, exchange, redaction, limit: limit)
        } else {
            self.init(exchange, started: .zero, Timings(), redaction, limit: limit)
            _cache =
                switch exchange.response?.source {
                case .network?, nil: nil
                case .cache(_, let isStale)?: isStale ? "stale" : "fresh"
                case .validated?: "validated"
                }
        }
    }

    private init(_ attempt: Attempt, _ exchange: RecordedExchange, _ redaction: Redaction, limit: Int) {
        let elapsed = attempt.started.duration(to: attempt.ended ?? exchange.instant)
        var metrics = attempt.metrics ?? exchange.response?.metrics ?? AttemptMetrics()
        metrics.queued = attempt.queued ?? metrics.queued
        self.init(
            exchange, started: attempt.started.duration(to: exchange.instant), Timings(metrics, elapsed: elapsed),
            redaction, limit: limit)
        if let error = attempt.error {
            response._error = redaction.redact(text: ErrorText.of(error))
            response._code = (error as? RequestError)?.code.rawValue
        }
        if attempt.error is CancellationError || attempt.ended == nil { response._code = Self.cancelled }
        if let response = exchange.response, !exchange.hasBody, metrics.bodyBytesReceived > 0 {
            self.response.content = .streamed(response, type: self.response.content.mimeType)
        }
        serverIPAddress = metrics.remoteAddress.map(Self.host)
        _attempt = attempt.number
        _cause = "\(attempt.cause)"
    }

    private init(
        _ exchange: RecordedExchange, started: Duration, _ timings: Timings, _ redaction: Redaction, limit: Int
    ) {
        let date = exchange.time.addingTimeInterval(-(started / .seconds(1)))
        let version = exchange.response.map { "\($0.version)" } ?? ""
        self.init(
            startedDateTime: ISO8601.text(milliseconds: ISO8601.milliseconds(of: date) ?? 0), time: timings.sum,
            request: exchange.request.map { Request($0, version: version, redaction, limit: limit) }
                ?? Request(method: "", url: "", httpVersion: "", headers: [], queryString: [], bodySize: -1),
            response: exchange.response.map { Response($0, redaction, limit: limit) } ?? Response(), timings: timings)
        _call = exchange.call
        _request = exchange.declaration
    }

    private static func host(of address: String) -> String {
        guard let colon = address.lastIndex(of: ":") else { return address }
        return address[..<colon].filter { $0 != "[" && $0 != "]" }
    }
}
