/// The times of a stored response that declared policies use, in seconds since 1970.
struct ResponseTimes: Hashable, Sendable {
    var written: Double
    /// The time of the last known use. Only policies with a sliding age read it.
    var used: Double?

    /// Returns the age of the response. It is never negative, even if the clock was set back.
    func age(at now: Double) -> Duration {
        .seconds(min(max(0, now - written), 1e11))
    }
}

extension CachePolicy.Hit {
    /// Returns whether a response is fresh. A response from the future is fresh, because the clock was set back.
    func counts(_ times: ResponseTimes, at now: Double) -> Bool {
        switch self {
        case .always: true
        case .maxAge(let limit): now - times.written < limit.inSeconds
        case .sliding(let limit): now - max(times.written, times.used ?? times.written) < limit.inSeconds
        }
    }

    /// Returns whether the store has to record a use of the response. Each record is a write, so there is at most one
    /// for each hundredth of the sliding age.
    func renews(_ times: ResponseTimes, at now: Double) -> Bool {
        guard case .sliding(let limit) = self else { return false }
        return now - max(times.written, times.used ?? times.written) >= limit.inSeconds / 100
    }
}

extension Duration {
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
