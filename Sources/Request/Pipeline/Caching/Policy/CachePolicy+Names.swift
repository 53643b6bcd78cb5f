extension CachePolicy {
    /// Sends the request, and neither reads nor writes the cache.
    public static let networkOnly = CachePolicy(fetch: .networkOnly)

    /// Sends the request, and replaces the cached response.
    public static let reload = CachePolicy(fetch: .reload)

    /// Sends the request, and replaces the cached response in the given form.
    public static func reload(write: Write) -> CachePolicy {
        CachePolicy(fetch: .reload, write: write)
    }

    /// Uses the cached response, or sends the request if there is none.
    public static let cacheElseNetwork = CachePolicy(fetch: .cacheElseNetwork)

    /// Uses the cached response if it is younger than `maxAge`, or else sends the request.
    public static func cacheElseNetwork(maxAge: Duration? = nil, write: Write = .raw) -> CachePolicy {
        CachePolicy(fetch: .cacheElseNetwork, hit: Hit(maxAge), write: write)
    }

    /// Uses the cached response, and then sends the request as well. The first response settles a promise. Callbacks
    /// and ``Request/values`` get both.
    public static let cacheThenNetwork = CachePolicy(fetch: .cacheThenNetwork)

    /// Uses the cached response if it is younger than `maxAge`, and then sends the request in any case.
    public static func cacheThenNetwork(maxAge: Duration? = nil, write: Write = .raw) -> CachePolicy {
        CachePolicy(fetch: .cacheThenNetwork, hit: Hit(maxAge), write: write)
    }

    /// Sends the request, and falls back to the cached response if the network or the server fails.
    ///
    /// ``HTTPResponse/source`` marks such a response as stale, with its age. A business error and a status such as 404
    /// are responses of the server, so the policy does not fall back.
    public static let networkElseCache = CachePolicy(fetch: .networkElseCache)

    /// Sends the request, and falls back to the cached response if it is younger than `maxAge`.
    public static func networkElseCache(maxAge: Duration? = nil, write: Write = .raw) -> CachePolicy {
        CachePolicy(fetch: .networkElseCache, hit: Hit(maxAge), write: write)
    }

    /// Uses the cached response, and never sends the request.
    public static let cacheOnly = CachePolicy(fetch: .cacheOnly)

    /// Uses the cached response if it is younger than `maxAge`, and never sends the request.
    public static func cacheOnly(maxAge: Duration?, write: Write = .raw) -> CachePolicy {
        CachePolicy(fetch: .cacheOnly, hit: Hit(maxAge), write: write)
    }

    /// Follows the rules of HTTP (RFC 9111). The server sets how long a response is fresh, and how it is revalidated.
    public static let http = CachePolicy(fetch: .http)

    /// Follows the rules of HTTP, with a setting for a server that cannot be reached.
    ///
    /// - Parameter servesStaleOffline: If true, a stale response is served then, unless the server forbids it. If
    ///   false, it is served only if the server allows it.
    public static func http(servesStaleOffline: Bool) -> CachePolicy {
        var policy = http
        policy.servesStaleOffline = servesStaleOffline
        return policy
    }
}

extension CachePolicy.Hit {
    /// Creates the rule for the highest age; nil allows any age.
    fileprivate init(_ maxAge: Duration?) {
        self = maxAge.map(Self.maxAge) ?? .always
    }
}
