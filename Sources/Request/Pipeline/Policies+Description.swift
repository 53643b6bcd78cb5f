extension RetryPolicy: CustomStringConvertible {
    /// Such as `up to 3 attempts, after 250 ms, at most 8 s`.
    public var description: String {
        switch rule {
        case .never: "never"
        case .connectionLoss: "once, if the connection was lost"
        case .failures(let attempts, let base, let cap):
            "up to \(attempts) attempts, after \(base.text), at most \(cap.text)"
        case .custom: "as a closure decides"
        }
    }
}

extension RetryDecision: CustomStringConvertible {
    /// Such as `again after 250 ms: the failure may be gone with the next attempt`.
    public var description: String {
        "\(delay.map { "again after \($0.text)" } ?? "not again"): \(reason)"
    }
}

extension RetryBudget: CustomStringConvertible {
    /// The numbers of retries that the budget allows for a host.
    public var description: String {
        burst == .max
            ? "unlimited" : "\(burst) retries, and \(perRequest) per request and \(perSecond) per second more"
    }
}

extension RedirectPolicy: CustomStringConvertible {
    /// Such as `follows up to 20 redirects`.
    public var description: String {
        switch rule {
        case .follow: "follows up to \(limit) redirects"
        case .refuse: "refuses redirects"
        case .custom: "a closure decides, for up to \(limit) redirects"
        }
    }
}

extension Limiter: CustomStringConvertible {
    /// The limits, and the requests that run and wait.
    public var description: String {
        let limits = [("in total", total), ("for each host", perHost), ("waiting", queue)]
            .compactMap { name, limit in limit.map { "\($0) \(name)" } }
        return
            "Limiter, \(limits.isEmpty ? "no limits" : limits.joined(separator: ", ")): \(running) running, \(waiting) waiting"
            + (isSuspended ? ", suspended" : "")
    }
}

extension CacheActivity: CustomStringConvertible {
    /// The use of the cache without the key, because a key may contain values of the request.
    public var description: String {
        switch self {
        case .hit(_, let age): "hit, \(age.text) old"
        case .miss(_, let reason): "miss, \(reason)"
        case .refreshing: "refreshing"
        case .refreshed(_, let result): "refreshed, \(result.outcome)"
        case .revalidated: "revalidated"
        case .stored: "stored"
        case .notStored(_, let reason): "not stored: \(reason)"
        case .evicted(_, let reason): "removed, \(reason)"
        case .failed(_, let error): "failed: \(ErrorText.of(error))"
        }
    }
}

extension Result where Success == HTTPResponse {
    fileprivate var outcome: String {
        switch self {
        case .success(let response): "\(response.status)"
        case .failure(let error): ErrorText.of(error)
        }
    }
}
