import TangoCache

extension HTTPCacheInterceptor {
    /// The cache of a client's calls, in its store.
    static func ofCalls(in store: any CacheStore, identity: String? = nil) -> HTTPCacheInterceptor {
        HTTPCacheInterceptor(store: store, identity: identity, hooks: .calls, mode: { $0.httpCacheMode })
    }
}

extension HTTPCacheHooks {
    /// What calls know of their answers.
    static let calls = HTTPCacheHooks(explain: { explanation, context in context.core.explain(explanation) })
}

extension CallContext {
    /// How the HTTP cache serves this call; nil where its policy is another.
    var httpCacheMode: HTTPCacheInterceptor.Mode? { HTTPCacheInterceptor.Mode() }
}
