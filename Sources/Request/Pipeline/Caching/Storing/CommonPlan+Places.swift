extension CommonPlan {
    /// Returns the places where a change concerns the response to a message. If the request was sent before the change,
    /// its response is neither cached nor shared after it.
    ///
    /// - Parameter key: The key under which a declared policy caches the response.
    func places(of message: HTTPRequest?, key: CacheKey?) -> [ChangeLog.Place] {
        var places = [client.place(of: self.identity)]
        if let key { places.append(.key(key)) }
        for tag in self.tags { places.append(client.place(ofTag: tag)) }
        if let message {
            let key = HTTPCacheKey.of(message, identity: self.identity, self.trust, self.httpKey)
            places += HTTPCacheKey.places(of: key, to: message)
        }
        return places
    }

    /// Records an eviction if there is no store: later calls do not share responses that are in flight.
    func noteEviction() {
        guard let message = try? message() else { return }
        client.changes.note([.url(HTTPCacheKey.prefix(of: message.url, host: message.explicitHost))])
    }

    /// Returns the places of a call that may share a transfer.
    func places(of message: HTTPRequest) -> [ChangeLog.Place] {
        let key = self.caching.flatMap { try? responseKey($0, isModel: $0.keepsModel, body: message.body) }
        return places(of: message, key: key)
    }
}

extension Client {
    /// The place of everything that belongs to an identity.
    func place(of identity: Identity) -> ChangeLog.Place { parts.place(of: identity) }

    func place(ofTag tag: String) -> ChangeLog.Place {
        sharedStore == nil ? .tag("\(number) \(tag)") : .tag(tag)
    }
}

extension ChangeLog {
    /// Records the changes on the server that the response of a run shows, so that later calls do not share older
    /// responses.
    ///
    /// It applies to every policy, and also without a store. The HTTP cache removes its own entries.
    func note(_ response: HTTPResponse, of core: CallCore) {
        let clearsSite = Invalidation.clearsSite(response.headers)
        guard clearsSite || !core.plan.method.isSafe else { return }
        var places: [Place] = []
        let declared = core.exchanged.request ?? (try? core.plan.message())
        let exchanges =
            response.redirects.compactMap { response in response.request.map { ($0, response) } }
            + ([declared].compactMap(\.self) + core.sent).map { ($0, response) }
        for (request, response) in exchanges {
            let host = request.explicitHost
            let urls = Invalidation.urls(
                method: request.method, url: request.url, status: response.status, headers: response.headers)
            places += urls.map { .url(HTTPCacheKey.prefix(of: $0, host: host)) }
            if clearsSite, let site = HTTPCacheKey.prefix(ofSite: request.url, host: host) {
                places.append(.site(site))
            }
        }
        note(places, asOf: core.state.withLock { $0.values[KnownChanges.self]?.mark })
    }
}

/// The changes on the server that the HTTP cache has recorded before it stores the response of a run. They happened before the
/// mark, so they concern no work that began after it, such as storing the response.
struct KnownChanges: Sendable {
    let mark: Int
}
