/// A call in a ``Waterfall``, with times from the start of the recording.
struct WaterfallCall: Sendable {
    struct Attempt: Sendable {
        let number: Int
        let cause: String
        let start: Duration
        let end: Duration
        let phases: AttemptPhases
        /// The status, or the code of the error.
        let result: String
    }

    let id: UInt64
    /// The method and the URL, without secrets.
    var name: String
    let start: Duration
    let end: Duration
    var attempts: [Attempt] = []
    var decoding: Duration?
    /// The use of the cache or of another call, such as `from the cache`.
    var note: String?
    /// The state at the end, unless the call succeeded.
    var failure: String?
}

extension WaterfallCall {
    init(_ call: AnyCall, _ kind: FinishedState, _ error: (any Error)?, since origin: ContinuousClock.Instant) {
        let timeline = call.timeline
        func time(_ instant: ContinuousClock.Instant?) -> Duration { max(origin.duration(to: instant ?? .now), .zero) }
        id = call.id
        name = call.core.plan.line
        start = time(timeline.started)
        end = max(time(timeline.ended), start)
        attempts = zip(timeline.attempts, timeline.phases).map { attempt, phases in
            Attempt(
                number: attempt.number, cause: "\(attempt.cause)", start: time(attempt.started),
                end: time(attempt.ended),
                phases: phases,
                result: attempt.response.map { "\($0.status.code)" } ?? attempt.error.map(Self.code) ?? "")
        }
        decoding = timeline.decoding
        note = Self.note(timeline.source, joined: call.core.joinedCall)
        failure = kind == .success ? nil : error.map(Self.code)
    }

    private static func note(_ source: ResponseSource?, joined: UInt64?) -> String? {
        if let joined { return "joins #\(joined)" }
        return switch source {
        case .cache(_, let isStale): isStale ? "from the cache, stale" : "from the cache"
        case .validated: "validated"
        case .network, nil: nil
        }
    }

    private static func code(of error: any Error) -> String {
        error is CancellationError ? "cancelled" : error.asRequestError?.code.rawValue ?? "failed"
    }
}

extension [WaterfallCall] {
    /// Removes the server from the names, if it is the same one for all calls, and returns it.
    mutating func removeCommonServer() -> String? {
        let servers = Set(map { $0.server })
        guard servers.count == 1, let server = servers.first ?? nil else { return nil }
        for index in indices { self[index].name = self[index].name.replacing(server, with: "", maxReplacements: 1) }
        return server
    }
}

extension WaterfallCall {
    fileprivate var server: String? {
        name.firstIndex(of: " ").flatMap { URLParts(name[name.index(after: $0)...]).origin }
    }
}
