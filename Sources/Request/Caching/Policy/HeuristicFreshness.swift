/// For how long a cached response counts as fresh if its server does not say so (RFC 9111, 4.2.2).
///
/// A response with a `Last-Modified` and neither `max-age` nor `Expires` is fresh for a fraction of the time for which it had
/// not changed. Servers of files send such responses. ``off`` has the server confirm each of them:
///
/// ```swift
/// let cautious = Client(baseURL: server, cache: store) { $0.heuristicFreshness = .off }
/// ```
///
/// Responses with a lifetime of their own are not concerned. ``CacheExplanation/isHeuristic`` tells which ones are.
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

    /// The seconds for which a response is fresh that had not changed for so many. A fraction or a limit below zero is zero.
    func seconds(unchangedFor seconds: Double) -> Double {
        let share = seconds * fraction
        return share > 0 ? min(share, max(limit.inSeconds, 0)) : 0
    }
}
