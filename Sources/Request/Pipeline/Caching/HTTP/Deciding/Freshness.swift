/// The freshness lifetime and the age of a response (RFC 9111, 4.2).
enum Freshness {
    /// A freshness lifetime in seconds, by its source.
    enum Lifetime: Sendable {
        /// A lifetime from `max-age` or `Expires`.
        case explicit(Double)
        /// The server names no lifetime. The response had not changed for this number of seconds.
        case unchanged(Double)
        case unknown

        func seconds(_ heuristic: HeuristicFreshness) -> Double {
            switch self {
            case .explicit(let seconds): seconds
            case .unchanged(let seconds): heuristic.seconds(unchangedFor: seconds)
            case .unknown: 0
            }
        }
    }

    /// Returns the freshness lifetime (4.2.1). `s-maxage` does not count, because it is for shared caches.
    static func lifetime(
        status: HTTPStatus, headers: Headers, directives: ResponseDirectives, date: Double, lastModified: Double?,
        responseTime: Double
    ) -> Lifetime {
        if let maxAge = directives.maxAge { return .explicit(Double(maxAge)) }
        let expires = headers.all("Expires")
        if let first = expires.first {
            // A malformed date counts as past (5.3), and so do several dates that differ.
            guard expires.allSatisfy({ $0.hasSameBytes(as: first) }), let end = HTTPDate.parse(first, now: responseTime)
            else {
                return .explicit(0)
            }
            return .explicit(max(end - date, 0))
        }
        guard let lastModified, lastModified < date, allowsHeuristics(status, headers, directives) else {
            return .unknown
        }
        return .unchanged(date - lastModified)
    }

    /// Returns whether the lifetime may be estimated if the server names none (4.2.2).
    private static func allowsHeuristics(
        _ status: HTTPStatus, _ headers: Headers, _ directives: ResponseDirectives
    ) -> Bool {
        // Without Cache-Control, `Pragma: no-cache` shows that the server does not want an estimate.
        if headers.contains("Pragma"), !headers.contains("Cache-Control"),
            CacheControl(headers.all("Pragma")).contains("no-cache")
        {
            return false
        }
        return isHeuristicallyCacheable(status) || directives.flags.contains(.isPublic)
    }

    /// Returns whether a response with this status may be stored without a directive that allows it (RFC 9110, 15.1).
    static func isHeuristicallyCacheable(_ status: HTTPStatus) -> Bool {
        switch status.code {
        case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Returns the age of a response on arrival (4.2.3). It is the greater of two: its `Age` plus the time since the
    /// request, and the difference between the clocks.
    static func initialAge(age: Int?, date: Double, requestTime: Double, responseTime: Double) -> Double {
        let apparent = max(responseTime.rounded(.down) - date, 0)
        let corrected = Double(age ?? 0) + max(responseTime - requestTime, 0)
        return max(apparent, corrected)
    }
}
