import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension HTTPCacheInterceptor {
    /// The cache of a client's calls, in its store.
    static func ofCalls(
        in store: SharedStore, identity: String?, heuristicFreshness: HeuristicFreshness,
        now: @escaping @Sendable () -> Date
    ) -> HTTPCacheInterceptor {
        HTTPCacheInterceptor(
            store: store, identity: identity, hooks: .calls, now: now, heuristicFreshness: heuristicFreshness,
            mode: \.httpCacheMode)
    }
}

extension CommonPlan {
    /// How the HTTP cache serves the call; nil where its policy is another.
    var httpCacheMode: HTTPCacheInterceptor.Mode? {
        cachePolicy.fetch == .http
            ? HTTPCacheInterceptor.Mode(
                servesStaleOffline: cachePolicy.servesStaleOffline, refreshesLater: !follows) : nil
    }

    /// Whether what the HTTP cache keeps is delivered first, and then what is new.
    var isCacheFirst: Bool { follows && cachePolicy.fetch == .http && client.httpCache != nil }

    var method: HTTPMethod {
        switch target {
        case .endpoint(let endpoint, _, _): endpoint.method
        case .message(let request): request.method
        }
    }
}

extension HTTPCacheHooks {
    /// What calls and their observers hear of.
    static let calls = HTTPCacheHooks(
        willStore: { response, request, context in
            context.core.isObserved ? edited(response, context.core) : response
        },
        onEvent: { event in event.context.tell(.cache(event.activity)) },
        explain: { explanation, context in context.core.explain(explanation) })

    /// What the observers make of a response, which they are shown as an entry.
    private static func edited(_ response: HTTPResponse, _ core: CallCore) -> HTTPResponse? {
        let text = StoredHead.text(of: response)
        let entry = CacheEntry(body: response.body, metadata: ["head": text], tags: core.plan.tags)
        guard let result = core.willStore(entry) else { return nil }
        let newText = result.metadata["head"] ?? text
        guard newText != text || result.body != response.body else { return response }
        // A length that was true of another body is not kept with this one.
        var edited = StoredHead.response(newText, body: result.body) ?? response
        if result.body.count != response.body.count, !response.isStreaming { edited.headers.remove("Content-Length") }
        return edited
    }
}

extension HTTPCacheEvent {
    /// The same in the words in which observers hear of caches.
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
