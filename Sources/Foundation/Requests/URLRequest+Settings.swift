/// The settings of a `URLRequest` and those of a request: pure functions of both.
extension URLRequest {
    /// The interval of a `URLRequest` whose interval nothing has set.
    private static let usualInterval: TimeInterval = 60

    /// The interval for a request without a limit: `URLSession` on Linux cannot represent an infinite one.
    static let longestInterval: TimeInterval = 10 * 365 * 86_400

    /// Returns the timeouts of a client, with the interval of this request as its idle time if it was set.
    func timeouts(of own: Timeouts) -> Timeouts {
        guard timeoutInterval > 0, timeoutInterval != Self.usualInterval else { return own }
        var timeouts = own
        timeouts.idle = timeoutInterval < Self.longestInterval ? .seconds(timeoutInterval) : nil
        return timeouts
    }

    static func interval(of timeouts: Timeouts) -> TimeInterval {
        guard let idle = timeouts.idle else { return longestInterval }
        return min(idle / .seconds(1), longestInterval)
    }

    /// Returns the kinds of networks of a client, without those that this request excludes.
    ///
    /// On Linux, a `URLRequest` knows only cellular networks, and no network is known to be one.
    func networks(of own: NetworkKinds) -> NetworkKinds {
        var networks = own
        if !allowsCellularAccess { networks.remove(.cellular) }
        #if canImport(Darwin)
            if !allowsExpensiveNetworkAccess { networks.remove(.expensive) }
            if !allowsConstrainedNetworkAccess { networks.remove(.constrained) }
        #endif
        return networks
    }

    mutating func allow(only networks: NetworkKinds) {
        allowsCellularAccess = networks.contains(.cellular)
        #if canImport(Darwin)
            allowsExpensiveNetworkAccess = networks.contains(.expensive)
            allowsConstrainedNetworkAccess = networks.contains(.constrained)
        #endif
    }

    /// Returns the policy that has the meaning of this request's; nil for that of the client.
    ///
    /// `URLSession` caches only requests that read. Without a store, nothing is cached, so that policies which write are those
    /// that do not.
    func policy(hasStore: Bool) -> TangoRequest.CachePolicy? {
        let isCached = hasStore && method.isSafe
        return switch cachePolicy {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: isCached ? .reload : .networkOnly
        case .reloadRevalidatingCacheData: isCached ? .http : .networkOnly
        case .returnCacheDataElseLoad: isCached ? .cacheElseNetwork : .networkOnly
        case .returnCacheDataDontLoad: .cacheOnly
        case .useProtocolCachePolicy: nil
        @unknown default: nil
        }
    }

    /// A Boolean value that indicates whether no cache on the way may respond without the server.
    var asksServers: Bool {
        cachePolicy == .reloadRevalidatingCacheData || cachePolicy == .reloadIgnoringLocalAndRemoteCacheData
    }

    /// Returns the nearest policy. A `URLRequest` has none that uses the cache after the server, or both.
    static func policy(of policy: TangoRequest.CachePolicy) -> CachePolicy {
        switch policy.fetch {
        case .networkOnly, .reload: .reloadIgnoringLocalCacheData
        case .cacheElseNetwork: .returnCacheDataElseLoad
        case .cacheOnly: .returnCacheDataDontLoad
        case .http, .cacheThenNetwork, .networkElseCache: .useProtocolCachePolicy
        }
    }
}
