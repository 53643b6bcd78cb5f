extension CachePolicy {
    /// Asks the server, and has nothing to do with the cache.
    public static let networkOnly = CachePolicy(fetch: .networkOnly)

    /// Asks the server, and keeps its answer in place of the one that is there.
    public static let reload = CachePolicy(fetch: .reload)

    /// Asks the server, and keeps of its answer what is said here.
    public static func reload(write: Write) -> CachePolicy {
        CachePolicy(fetch: .reload, write: write)
    }

    /// Takes what the cache has, and asks the server if it has nothing.
    public static let cacheElseNetwork = CachePolicy(fetch: .cacheElseNetwork)

    /// Takes what the cache has, unless that is older, and asks the server otherwise.
    public static func cacheElseNetwork(maxAge: Duration? = nil, write: Write = .raw) -> CachePolicy {
        CachePolicy(fetch: .cacheElseNetwork, hit: Hit(maxAge), write: write)
    }

    /// Takes what the cache has, and then asks the server as well. A promise is settled by the first answer; callbacks and
    /// ``Request/values`` hear of both.
    public static let cacheThenNetwork = CachePolicy(fetch: .cacheThenNetwork)

    /// Takes what the cache has, unless that is older, and then asks the server in any case.
    public static func cacheThenNetwork(maxAge: Duration? = nil, write: Write = .raw) -> CachePolicy {
        CachePolicy(fetch: .cacheThenNetwork, hit: Hit(maxAge), write: write)
    }

    /// Asks the server, and takes what the cache has if there is no answer: the network is away, or the server in trouble.
    ///
    /// Such an answer is marked: ``HTTPResponse/source`` says that it is stale, and how old. A server that refuses has
    /// answered: with a business error, or a status such as 404.
    public static let networkElseCache = CachePolicy(fetch: .networkElseCache)

    /// Asks the server, and takes what the cache has if there is no answer, unless that is older.
    public static func networkElseCache(maxAge: Duration? = nil, write: Write = .raw) -> CachePolicy {
        CachePolicy(fetch: .networkElseCache, hit: Hit(maxAge), write: write)
    }

    /// Takes what the cache has, and never asks the server.
    public static let cacheOnly = CachePolicy(fetch: .cacheOnly)

    /// Takes what the cache has, unless that is older, and never asks the server.
    public static func cacheOnly(maxAge: Duration?, write: Write = .raw) -> CachePolicy {
        CachePolicy(fetch: .cacheOnly, hit: Hit(maxAge), write: write)
    }

    /// Does what HTTP says (RFC 9111): the server says of each answer how long it counts, and how to ask whether it still
    /// does.
    public static let http = CachePolicy(fetch: .http)

    /// Does what HTTP says, and says what happens where the server cannot be reached: whether a stale answer will do, unless the
    /// server forbids it, or only if the server allows it.
    public static func http(servesStaleOffline: Bool) -> CachePolicy {
        var policy = http
        policy.servesStaleOffline = servesStaleOffline
        return policy
    }
}

extension CachePolicy.Hit {
    /// An age, or any.
    fileprivate init(_ maxAge: Duration?) {
        self = maxAge.map(Self.maxAge) ?? .always
    }
}
