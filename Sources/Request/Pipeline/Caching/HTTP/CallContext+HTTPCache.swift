extension HTTPCacheInterceptor {
    /// Creates the HTTP cache for the calls of a client, in the store of the client.
    static func ofCalls(
        in store: SharedStore, heuristicFreshness: HeuristicFreshness,
        isOffline: @escaping @Sendable (HTTPRequest) -> Bool, now: @escaping @Sendable () -> Date
    ) -> HTTPCacheInterceptor {
        HTTPCacheInterceptor(
            store: store, hooks: .calls, now: now, heuristicFreshness: heuristicFreshness,
            isOffline: isOffline, mode: { $0.httpCacheMode })
    }
}

extension CommonPlan {
    /// The mode of the HTTP cache for the call; nil if the call has another policy.
    var httpCacheMode: HTTPCacheInterceptor.Mode? {
        self.cachePolicy.fetch == .http
            ? HTTPCacheInterceptor.Mode(
                servesStaleOffline: self.cachePolicy.servesStaleOffline, refreshesLater: !self.follows) : nil
    }

    /// A Boolean value that indicates whether a response of the HTTP cache is delivered first, and then a newer one.
    var isCacheFirst: Bool { self.follows && self.cachePolicy.fetch == .http && client.httpCache != nil }

    var method: HTTPMethod {
        if let raw = self.raw { raw.method } else { self.endpoint.method }
    }
}

extension HTTPCacheHooks {
    /// The hooks that notify calls and their observers.
    static let calls = HTTPCacheHooks(
        willStore: { response, request, context in
            context.core.isObserved ? edited(response, context.core) : response
        },
        onEvent: { event in event.context.tell(.cache(event.activity)) },
        explain: { explanation, context in context.core.explain(explanation) })

    /// Returns the response as the observers edit it; nil if one of them rejects it. Observers get it as an entry.
    private static func edited(_ response: HTTPResponse, _ core: CallCore) -> HTTPResponse? {
        let text = StoredHead.text(of: response)
        let entry = CacheEntry(body: response.body, metadata: ["head": text], tags: core.plan.tags)
        guard let result = core.willStore(entry) else { return nil }
        let newText = result.metadata["head"] ?? text
        guard newText != text || result.body != response.body else { return response }
        // The length of the old body does not apply to the new one.
        var edited = StoredHead.response(newText, body: result.body) ?? response
        if result.body.count != response.body.count, !response.isStreaming { edited.headers.remove("Content-Length") }
        return edited
    }
}

extension HTTPCacheEvent {
    /// The event in the form that observers receive.
    fileprivate var activity: CacheActivity {
        switch kind {
        case .hit(let explanation): .hit(key, age: explanation.age ?? .zero)
        case .missed(let reason): .miss(key, reason)
        case .revalidated: .revalidated(key)
        case .stored: .stored(key)
        case .notStored(let reason): .notStored(key, reason)
        case .removed: .evicted(key, .obsolete)
        case .willRefresh: .refreshing(key)
        case .refreshed(let result): .refreshed(key, result)
        case .failed(let error): .failed(key, error)
        }
    }
}
