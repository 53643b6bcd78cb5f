/// How long a response may be used without asking, and how old it is (RFC 9111, 4.2).
enum Freshness {
    /// A number of seconds, and where it comes from.
    enum Lifetime: Hashable, Sendable {
        /// `max-age` or `Expires`.
        case explicit(Double)
        /// The server does not say, and the response had not changed for so many seconds.
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

    /// The freshness lifetime (4.2.1). `s-maxage` is for shared caches, and does not count.
    static func lifetime(
        status: HTTPStatus, headers: Headers, directives: ResponseDirectives, date: Double, lastModified: Double?,
        responseTime: Double
    ) -> Lifetime {
        if let maxAge = directives.maxAge { return .explicit(Double(maxAge)) }
        let expires = headers.all("Expires")
        if let first = expires.first {
            // What is no date is in the past (5.3), and so are several that differ.
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

    /// Whether a time may be made up where the server names none (4.2.2).
    private static func allowsHeuristics(
        _ status: HTTPStatus, _ headers: Headers, _ directives: ResponseDirectives
    ) -> Bool {
        // Servers that know nothing newer say by it that they do not want this.
        if headers.contains("Pragma"), !headers.contains("Cache-Control"),
            CacheControl(headers.all("Pragma")).contains("no-cache")
        {
            return false
        }
        return isHeuristicallyCacheable(status) || directives.flags.contains(.isPublic)
    }

    /// The statuses that may be kept although nothing says so (RFC 9110, 15.1).
    static func isHeuristicallyCacheable(_ status: HTTPStatus) -> Bool {
        switch status.code {
        case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// The age of a response when it came (4.2.3): what caches on the way say, and what the clocks say, if that is more.
    static func initialAge(age: Int?, date: Double, requestTime: Double, responseTime: Double) -> Double {
        let apparent = max(responseTime.rounded(.down) - date, 0)
        let corrected = Double(age ?? 0) + max(responseTime - requestTime, 0)
        return max(apparent, corrected)
    }
}
