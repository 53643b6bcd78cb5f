/// The times of a stored response that declared policies go by, in seconds since 1970.
struct ResponseTimes: Hashable, Sendable {
    var written: Double
    /// When it was last used, as far as is known. Only policies with a sliding age ask.
    var used: Double?

    /// How old it is. A clock that was set back does not make it younger than it can be.
    func age(at now: Double) -> Duration {
        .seconds(min(max(0, now - written), 1e11))
    }
}

extension CachePolicy.Hit {
    /// Whether an answer still counts. One from the future does, for somebody has set the clock back.
    func counts(_ times: ResponseTimes, at now: Double) -> Bool {
        switch self {
        case .always: true
        case .maxAge(let limit): now - times.written < limit.inSeconds
        case .sliding(let limit): now - max(times.written, times.used ?? times.written) < limit.inSeconds
        }
    }

    /// Whether a store is to be told that an answer was used: not each time, for that would be a write for each read.
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
