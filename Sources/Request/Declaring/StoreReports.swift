#if DEBUG
    import Synchronization

    /// A likely mistake that debug builds report: a cache policy for a client without a store.
    enum StoreReports {
        private static let reportedTypes = Mutex<Set<ObjectIdentifier>>([])

        /// Reports a request type, once, whose policy needs a store that its client does not have.
        static func report(_ policy: CachePolicy, of type: Any.Type, _ client: Client) {
            guard client.cache == nil, let mistake = mistake(policy, of: type),
                reportedTypes.withLock({ $0.insert(ObjectIdentifier(type)).inserted })
            else { return }
            RequestDiagnostics.report(mistake)
        }

        /// The report on a policy that has no effect without a store. `cacheOnly` fails with an error of its own.
        static func mistake(_ policy: CachePolicy, of type: Any.Type) -> String? {
            guard policy.fetch != .networkOnly, policy.fetch != .cacheOnly else { return nil }
            return
                "\(type) has the cache policy \(policy.fetch), but its client has no store, so nothing is cached. Give the "
                + "client one, as in Client(baseURL: url, cache: .shared), or use the policy networkOnly."
        }
    }
#endif
