extension Attempt: CustomStringConvertible {
    /// Such as `attempt 2 (retry), GET https://api.example.com/users/1: 200 in 12.5 ms`. Secrets are replaced.
    public var description: String {
        let line = "\(request.method) \(request.redaction.redact(request.url))"
        let result = response.map { "\($0.status)" } ?? error.map { request.redaction.redact(text: ErrorText.of($0)) }
        let time = ended.map { " in \(max(started.duration(to: $0), .zero).text)" } ?? ""
        return "attempt \(number) (\(cause)), \(line): \(result ?? "in flight")\(result == nil ? "" : time)"
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

extension CallEvent: CustomStringConvertible {
    /// The call, the attempt and the kind of event. Secrets are replaced.
    public var description: String {
        "call \(call.id)\(attempt.map { ", attempt \($0)" } ?? ""): \(kind)"
    }
}

extension CallEvent.Kind: CustomStringConvertible {
    /// The event in words. Secrets are replaced, and bodies are left out.
    public var description: String {
        switch self {
        case .willStart(let request): "starts\(request.map { " with \($0.line)" } ?? "")"
        case .sending(let request): "sends \(request.line)"
        case .informational(let status, _): "interim response \(status)"
        case .progress(let progress): "\(progress)"
        case .response(let response): "response \(response.status)"
        case .following(let cause, let request, let delay): "\(cause) after \(delay.text) with \(request.line)"
        case .waiting(let wait): "waits: \(wait)"
        case .cache(let activity): "cache: \(activity)"
        case .finished(let state, let error): "finished: \(state)\(error.map { ", \(ErrorText.of($0))" } ?? "")"
        }
    }
}

extension HTTPRequest {
    fileprivate var line: String { "\(method) \(redaction.redact(url))" }
}

extension CallInfo: CustomStringConvertible {
    /// The names of the values. The values may be private.
    public var description: String { "values for \(all.keys.sorted())" }
}

extension DurationHistogram: CustomStringConvertible {
    /// The number of durations, the median, two percentiles and the longest one.
    public var description: String {
        guard let median = percentile(0.5), let p90 = percentile(0.9), let p99 = percentile(0.99) else {
            return "no durations"
        }
        return "\(count) durations, median \(median.text), p90 \(p90.text), p99 \(p99.text), max \(max.text)"
    }
}

extension ClientStatistics.Host: CustomStringConvertible {
    /// The counts and the times of calls.
    public var description: String {
        "\(calls) calls, \(failed) failed, \(cacheHits) from the cache, \(attempts) attempts, \(retries) retries; \(callTimes)"
    }
}

extension HARRecorder: CustomStringConvertible {
    /// The number of entries.
    public var description: String { "HARRecorder, \(count) entries, \(dropped) left out" }
}

extension HARFixture: CustomStringConvertible {
    /// The file, and the use of it.
    public var description: String {
        "HARFixture, \(isRecording ? "recording" : "replaying") \(file.lastPathComponent)"
    }
}

extension Waterfall: CustomStringConvertible {
    /// The drawing as a plain text.
    public var description: String { text(isColored: false) }
}

extension Client.Configuration: CustomStringConvertible {
    /// The settings that are values, without secrets.
    public var description: String {
        """
        transport: \(type(of: transport))
        headers: \(redaction.redact(headers).map { "\($0.name): \($0.value)" })
        timeouts: \(timeouts)
        redirects: \(redirectPolicy)
        retries: \(retryPolicy)
        retry budget: \(retryBudget)
        limiter: \(limiter.map { "\($0)" } ?? "none")
        uniqueness: \(uniqueness)
        response limit: \(responseLimit.map { "\($0) bytes" } ?? "none")
        identity: \(identity == nil ? "none" : Redaction.ellipsis)
        interceptors: \(interceptors.count), of attempts: \(attemptInterceptors.count)
        observers: \(observers.count)
        log: \(log.level)
        statistics: \(collectsStatistics ? "on" : "off")
        """
    }
}

extension Client.Configuration: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["configuration": description]) }
}
