/// The times of a stored response that declared policies use, in seconds since 1970.
struct ResponseTimes: Sendable {
    var written: Double
    /// The time of the last known use. Only policies with a sliding age read it.
    var used: Double?

    /// Returns the age of the response. It is never negative, even if the clock was set back.
    func age(at now: Double) -> Duration {
        .seconds(min(max(0, now - written), 1e11))
    }

    /// Returns the seconds since a time; nil if it is more than a minute in the future.
    ///
    /// Then the clock was set back, so the age of the response is unknown. Smaller differences come from corrections of
    /// the clock.
    static func elapsed(since time: Double, at now: Double) -> Double? {
        now - time >= -60 ? max(now - time, 0) : nil
    }
}

extension CachePolicy.Hit {
    /// Returns whether a response is fresh. A response whose age is unknown is not.
    func counts(_ times: ResponseTimes, at now: Double) -> Bool {
        switch self {
        case .always: true
        case .maxAge(let limit): Self.isYounger(times.written, than: limit, at: now)
        case .sliding(let limit):
            Self.isYounger(max(times.written, times.used ?? times.written), than: limit, at: now)
        }
    }

    private static func isYounger(_ time: Double, than limit: Duration, at now: Double) -> Bool {
        ResponseTimes.elapsed(since: time, at: now).map { $0 < limit.inSeconds } ?? false
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
