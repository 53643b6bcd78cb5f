import Synchronization
import TangoCache
import TangoPromise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What requests have in common: where they go, what they carry, by which rules, and over which transport.
///
/// ```swift
/// Client.default = Client(baseURL: URL(string: "https://api.example.com")!)
/// ```
///
/// An application has a default one, and as many others as it has servers or users: a request says which by overriding
/// ``Request/client``. A client is a value that never changes once made, safe from any thread. It lives as long as its calls.
public final class Client: Sendable, CustomStringConvertible {
    /// The URL that the paths of endpoints are appended to. Without one, an endpoint has to name a whole URL.
    public let baseURL: URL?
    /// The store of responses.
    public let cache: (any CacheStore)?
    /// The settings of the client.
    public let configuration: Configuration
    /// The policy of requests that do not override theirs.
    let cachePolicy: CachePolicy
    let originRule: OriginRule
    /// The headers of a request for an origin that the client does not trust.
    let plainHeaders: Headers
    let httpCache: HTTPCacheInterceptor?
    let pipeline: Pipeline
    /// The store of the client, with the changes on their way there; nil without a cache.
    let sharedStore: SharedStore?
    /// The changes that concern the calls of the client.
    let changes: ChangeLog
    /// A number that no other client of the process has.
    let number: UInt64
    /// The places of calls that have delivered what is cached, and ask the server for what is new.
    let refreshes = RefreshPlaces()
    let identityScope: String
    let wallTime: WallTime
    let plainBase: RequestURL.PlainBase?
    let registry = CallRegistry()
    let uniqueCalls = UniqueCalls()
    let flights = Flights()
    let eventQueue = EventQueue()

    /// Creates a client whose settings are those that a function leaves changed; the others have their defaults.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that the paths of endpoints are appended to. Without one, an endpoint has to name a whole URL.
    ///   - cache: The store of responses. With one, ``CachePolicy/http`` is the policy, unless the configuration has another.
    ///   - configure: A function that changes the settings.
    public convenience init(
        baseURL: URL? = nil, cache: (any CacheStore)? = nil,
        configure: (inout Configuration) throws -> Void
    ) rethrows {
        var configuration = Configuration()
        try configure(&configuration)
        self.init(baseURL: baseURL, cache: cache, configuration: configuration)
    }

    /// Creates a client. Without a configuration, every setting has its default.
    public init(
        baseURL: URL? = nil, cache: (any CacheStore)? = nil, configuration: Configuration = Configuration()
    ) {
        self.baseURL = baseURL
        self.cache = cache
        self.configuration = configuration
        plainBase = RequestURL.PlainBase(baseURL)
        originRule = OriginRule(baseURL: baseURL, trustedOrigins: configuration.trustedOrigins)
        plainHeaders = configuration.headers.withoutCredentials
        #if DEBUG
            CredentialReports.report(configuration.headers, of: originRule)
        #endif
        var policy = configuration.cachePolicy ?? (cache == nil ? .networkOnly : .http)
        policy.isDefault = true
        cachePolicy = policy
        let sharedStore = cache.map { SharedStore.of($0) }
        self.sharedStore = sharedStore
        changes = sharedStore?.changes ?? ChangeLog.of(configuration.transport)
        number = Self.lastNumber.add(1, ordering: .relaxed).newValue
        identityScope = ResponseKey.scope(of: configuration.identity)
        let wallTime = WallTime(configuration.now, clock: configuration.clock)
        self.wallTime = wallTime
        let httpCache = sharedStore.map { store in
            HTTPCacheInterceptor.ofCalls(
                in: store, identity: configuration.identity, heuristicFreshness: configuration.heuristicFreshness,
                now: { wallTime.now })
        }
        self.httpCache = httpCache
        pipeline = Pipeline(
            transport: configuration.transport, interceptors: configuration.interceptors, stages: Pipeline.addedStages,
            httpCache: httpCache, attemptInterceptors: configuration.attemptInterceptors)
    }

    private static let lastNumber = Atomic<UInt64>(0)

    /// Returns whether credentials of this client may be sent to a URL: its origin is that of ``baseURL`` or one of
    /// ``Configuration/trustedOrigins``.
    ///
    /// Ask before you add a token to a request whose URL comes from elsewhere, such as a link that a server has sent.
    public func allowsCredentials(for url: URL) -> Bool {
        originRule.allowsCredentials(for: url)
    }

    private static let current = Mutex<Client?>(nil)

    /// The client of requests that do not say otherwise. One without a base URL, until it is set.
    public static var `default`: Client {
        get {
            if let client = current.withLock({ $0 }) { return client }
            // Out here, because what is wrong with the default transport may be told.
            let new = Client()
            return current.withLock { current in
                let client = current ?? new
                current = client
                return client
            }
        }
        set { withExtendedLifetime(current.withLock { replace(&$0, with: newValue) }) {} }
    }

    /// Ends every call with ``RequestError/Code/shutDown``, refuses later ones, and returns when all have settled and everything
    /// that is to be kept is kept.
    ///
    /// Its transport, which other clients may share, goes on.
    public func shutdown() async {
        for call in registry.shutDown() {
            call.fail(.shutDown, "the client was shut down")
        }
        await httpCache?.refresher.shutdown()
        await registry.empty()
        await sharedStore?.finish()
        await eventQueue.deliverAll()
    }

    public var description: String {
        "client of \(baseURL.map(Redaction.standard.redact) ?? "no base URL"), \(activeCalls) calls in flight"
    }
}

extension Client: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["client": description]) }
}
