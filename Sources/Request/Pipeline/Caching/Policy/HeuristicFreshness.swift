/// The estimate of freshness for responses without a lifetime from the server (RFC 9111, 4.2.2).
///
/// A response with a `Last-Modified` and neither `max-age` nor `Expires` is fresh for a fraction of the time since its
/// last change. File servers send such responses. With ``off``, the server confirms each of them:
///
/// ```swift
/// let cautious = Client(baseURL: server, cache: store) { $0.heuristicFreshness = .off }
/// ```
///
/// The estimate does not affect other responses. ``CacheExplanation/isHeuristic`` marks an estimate.
public struct HeuristicFreshness: Hashable, Sendable {
    /// The share of the time since the last change for which the response is fresh. The standard recommends 0.1.
    public var fraction: Double
    /// The longest time for which such a response is fresh.
    public var limit: Duration

    public init(fraction: Double, limit: Duration) {
        self.fraction = fraction
        self.limit = limit
    }

    /// A tenth of the time since the last change, and no more than seven days. The default.
    public static let standard = HeuristicFreshness(fraction: 0.1, limit: .seconds(7 * 86_400))

    /// Such a response is stale from the start, so that the server confirms it each time.
    public static let off = HeuristicFreshness(fraction: 0, limit: .zero)

    /// Returns the freshness in seconds of a response that had not changed for a number of seconds. A negative fraction
    /// or limit counts as zero.
    func seconds(unchangedFor seconds: Double) -> Double {
        let share = seconds * fraction
        return share > 0 ? min(share, max(limit.inSeconds, 0)) : 0
    }
}
