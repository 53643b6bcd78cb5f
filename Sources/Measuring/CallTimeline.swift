/// The times and sizes of a whole call, with all of its attempts. A value that is not known is nil.
///
/// All times are measured with a clock that never goes back.
public struct CallTimeline: Sendable {
    /// A time between two attempts: the wait before a retry, for a slot of the `Limiter`, or for a network.
    public struct Gap: Sendable, Hashable {
        /// The number of the attempt after which the gap is; 0 for a gap before the first one.
        public let afterAttempt: Int
        /// The time.
        public let duration: Duration
    }

    /// The start of the call. It is known only of calls that are observed, or whose client collects statistics. Otherwise it
    /// is the start of the first attempt.
    public let started: ContinuousClock.Instant?
    /// The end of the call. It is known of the same calls, or else it is the end of the last attempt.
    public let ended: ContinuousClock.Instant?
    /// The time that decoding of the response took. It is measured for the same calls.
    public let decoding: Duration?
    /// The source of the response; nil without a response.
    public let source: ResponseSource?
    /// The version of HTTP of the last response.
    public let version: HTTPVersion?
    /// The bytes of the body that was delivered, decoded. A streamed body counts as 0.
    public let bytesDecoded: Int
    /// The attempts, in their order.
    public let attempts: [Attempt]
    /// The times without an attempt, in their order.
    public let gaps: [Gap]

    /// The time from the start to the end; nil while the call is in flight.
    public var duration: Duration? {
        guard let started, let ended else { return nil }
        return max(started.duration(to: ended), .zero)
    }

    /// The phases of the attempts.
    public var phases: [AttemptPhases] {
        attempts.map { attempt in
            let elapsed = attempt.ended.map { max(attempt.started.duration(to: $0), .zero) }
            var phases = AttemptPhases(attempt.metrics ?? AttemptMetrics(), end: attempt.metrics == nil ? nil : elapsed)
            phases.queue = attempt.queued ?? phases.queue
            return phases
        }
    }

    /// The time that attempts have waited for a slot of the `Limiter`, in all.
    public var queued: Duration { attempts.compactMap(\.queued).reduce(.zero, +) }

    /// The bytes of the bodies of requests that were sent, in all attempts.
    public var bytesSent: Int { attempts.map(\.bytesSent).reduce(0, +) }

    /// The bytes of the bodies of responses that were received, in all attempts, before they were decoded.
    public var bytesReceived: Int { attempts.map(\.bytesReceived).reduce(0, +) }

    init(
        started: ContinuousClock.Instant?, ended: ContinuousClock.Instant?, decoding: Duration?,
        response: HTTPResponse?,
        _ attempts: [Attempt]
    ) {
        self.started = started ?? attempts.first?.started
        self.ended = ended ?? attempts.last?.ended
        self.decoding = decoding
        source = response?.source
        version = response?.version
        bytesDecoded = response?.body.count ?? 0
        self.attempts = attempts
        var place = started
        gaps = attempts.compactMap { attempt in
            defer { place = attempt.ended }
            guard let end = place, end < attempt.started else { return nil }
            return Gap(afterAttempt: attempt.number - 1, duration: end.duration(to: attempt.started))
        }
    }
}

extension AnyCall {
    /// The times and sizes of the whole call, with all of its attempts. ``metrics`` has those of the last attempt.
    public var timeline: CallTimeline {
        let times = times
        return CallTimeline(
            started: times.started, ended: times.ended, decoding: times.decoding, response: response, attempts)
    }
}

extension CallTimeline: CustomStringConvertible {
    /// A line for the call, and one for each attempt with its phases.
    public var description: String {
        var lines = ["\(duration.map(\.text) ?? "in flight"), \(attempts.newestNumber) attempts"]
        for (attempt, phases) in zip(attempts, phases) { lines.append("attempt \(attempt.number): \(phases)") }
        if let decoding { lines.append("decoding \(decoding.text)") }
        return lines.joined(separator: "\n")
    }
}

extension CallTimeline.Gap: CustomStringConvertible {
    /// Such as `250 ms after attempt 1`.
    public var description: String {
        afterAttempt > 0 ? "\(duration.text) after attempt \(afterAttempt)" : "\(duration.text) before attempt 1"
    }
}
