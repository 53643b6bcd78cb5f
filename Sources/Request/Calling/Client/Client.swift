import Synchronization

/// An object that holds the settings of requests and sends them: base URL, headers, rules and transport.
///
/// ```swift
/// Client.default = Client(baseURL: URL(string: "https://api.example.com")!)
/// ```
///
/// An application has a default client, and one more for each further server or user. A request selects its client by
/// overriding ``Request/client``. A client never changes after it was created, and can be used from any thread. It
/// lives as long as its calls.
public final class Client: Sendable, CustomStringConvertible {
    /// The URL that the paths of endpoints are appended to. Without one, an endpoint has to name a complete URL.
    public let baseURL: URL?
    /// The store of responses.
    public let cache: (any CacheStore)?
    /// The settings of the client.
    public let configuration: Configuration
    /// The policy of requests that do not override theirs.
    let cachePolicy: CachePolicy
    let originRule: OriginRule
    /// The redaction of the client; nil if it is the standard one.
    package let redaction: Redaction?
    /// The log of the client; nil if it is off.
    let log: CallLog?
    /// The object that measures the calls of the client; nil for none.
    package let meter: (any CallMeter)?
    /// The headers of declared requests.
    let headers: Headers
    /// The headers of a request for an origin that the client does not trust.
    let plainHeaders: Headers
    let httpCache: HTTPCacheInterceptor?
    let pipeline: Pipeline
    /// The store of the client, with the changes that have not reached it yet; nil without a cache.
    let sharedStore: SharedStore?
    /// A number that no other client of the process has.
    let number: UInt64
    package let identity: IdentitySource
    package let parts: ClientParts
    package let wallTime: WallTime
    let plainBase: RequestURL.PlainBase?
    /// The server of the base URL.
    let server: ServerAddress?
    let registry = CallRegistry()
    let uniqueCalls = UniqueCalls()
    private let lazyRefreshes = LazyReference<RefreshLimiter>()
    private let lazySharedTransfers = LazyReference<SharedTransfers>()
    private let lazyEventQueue = LazyReference<EventQueue>()

    /// Creates a client. Settings that `configure` does not change have their defaults.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that the paths of endpoints are appended to. Without one, an endpoint has to name a
    ///     complete URL.
    ///   - cache: The store of responses. With one, the default policy is ``CachePolicy/http``, unless the
    ///     configuration has another.
    ///   - configure: A closure that changes the settings.
    public convenience init(
        baseURL: URL? = nil, cache: (any CacheStore)? = nil,
        configure: (inout Configuration) throws -> Void
    ) rethrows {
        var configuration = Configuration()
        try configure(&configuration)
        self.init(baseURL: baseURL, cache: cache, configuration: configuration)
    }

    /// Creates a client. Omitted settings have their defaults.
    public init(
        baseURL: URL? = nil, cache: (any CacheStore)? = nil, configuration: Configuration = Configuration()
    ) {
        _ = Scheduler.findsOperationQueues
        self.baseURL = baseURL
        self.cache = cache
        self.configuration = configuration
        plainBase = RequestURL.PlainBase(baseURL)
        server = baseURL.flatMap { try? ServerAddress($0) }
        originRule = OriginRule(baseURL: baseURL, trustedOrigins: configuration.trustedOrigins)
        let known = configuration.features.secrets
        redaction =
            known.isEmpty && configuration.redaction == .standard ? nil : configuration.redaction.knowing(known)
        log = configuration.log.level == .off ? nil : configuration.log
        meter = configuration.features.meter()
        headers = UserAgent.added(configuration.userAgent, to: configuration.headers)
        plainHeaders = headers.withoutCredentials(redaction)
        #if DEBUG
            if !configuration.headers.isEmpty { CredentialReports.report(configuration.headers, of: originRule) }
        #endif
        var policy = configuration.cachePolicy ?? (cache == nil ? .networkOnly : .http)
        policy.isDefault = true
        cachePolicy = policy
        let sharedStore = cache.map { SharedStore.of($0) }
        self.sharedStore = sharedStore
        number = Self.lastNumber.add(1, ordering: .relaxed).newValue
        identity = IdentitySource(configuration)
        parts = ClientParts(configuration, identity, registry, sharedStore, number: number)
        let wallTime = WallTime(configuration.now, clock: configuration.clock)
        self.wallTime = wallTime
        let connectivity = ConnectivityCheck(configuration)
        let httpCache = sharedStore.map { store in
            HTTPCacheInterceptor(
                store: store, heuristicFreshness: configuration.heuristicFreshness, isOffline: connectivity.isOffline)
        }
        self.httpCache = httpCache
        pipeline = Pipeline(
            transport: configuration.transport, interceptors: configuration.interceptors,
            stages: configuration.features.stages(
                in: FeatureContext(baseURL: baseURL, originRule: originRule, time: wallTime)),
            redirect: RedirectStage(originRule: originRule, usesSocket: configuration.transport.usesSocket),
            httpCache: httpCache,
            replacement: ReplacementStage(clock: configuration.clock),
            retry: RetryStage(configuration, wallTime: wallTime),
            connectivity: ConnectivityStage(connectivity, clock: configuration.clock),
            limiter: configuration.limiter ?? configuration.transport.limiter,
            attemptInterceptors: configuration.attemptInterceptors)
    }

    /// The changes that concern the calls of the client.
    var changes: ChangeLog { parts.changes }
    /// The calls that refresh an output which they have delivered from the cache.
    var refreshes: RefreshLimiter { lazyRefreshes.object { RefreshLimiter() } }
    var sharedTransfers: SharedTransfers { lazySharedTransfers.object { SharedTransfers() } }
    var eventQueue: EventQueue { lazyEventQueue.object { EventQueue() } }

    /// The `User-Agent` of requests that name none.
    package var userAgent: String? { headers["User-Agent"] }

    /// A Boolean value that indicates whether ``shutdown()`` was called.
    package var isShutDown: Bool { registry.isShutDown }

    private let lazyPlainClient = AtomicLazyReference<Client>()

    /// The client that sends requests of features by themselves, such as those for credentials, without features and
    /// interceptors. Its calls end with those of this client.
    ///
    /// - Parameter responseLimit: The highest number of bytes of a response. The first call determines it.
    package func plainClient(responseLimit: Int) -> Client {
        if let client = lazyPlainClient.load() { return client }
        let client = with { [redaction] in
            $0.features = Features()
            $0.redaction = redaction ?? .standard
            $0.cachePolicy = .networkOnly
            $0.interceptors = []
            $0.attemptInterceptors = []
            // A request that frees others must not wait for them.
            $0.limiter = nil
            $0.uniqueness = .allow
            // A form with secrets goes to its endpoint only.
            $0.redirectPolicy = .refuse
            $0.responseLimit = min($0.responseLimit ?? .max, responseLimit)
        }
        return lazyPlainClient.storeIfNil(client)
    }

    private static let lastNumber = Atomic<UInt64>(0)

    /// Returns whether credentials of this client may be sent to a URL: its origin is that of ``baseURL`` or one of
    /// ``Configuration/trustedOrigins``.
    ///
    /// Check this before you add a token to a request whose URL comes from elsewhere, such as a link that a server has
    /// sent.
    public func allowsCredentials(for url: URL) -> Bool {
        originRule.allowsCredentials(for: url)
    }

    private static let current = Mutex<Client?>(nil)

    /// The client of requests that do not override ``Request/client``. Until it is set, it has no base URL.
    public static var `default`: Client {
        get {
            if let client = current.withLock({ $0 }) { return client }
            // This is outside of the lock, because the initializer may report a mistake to the user.
            let new = Client()
            return current.withLock { current in
                let client = current ?? new
                current = client
                return client
            }
        }
        set { withExtendedLifetime(current.withLock { replace(&$0, with: newValue) }) {} }
    }

    /// Fails every call with ``RequestError/Code/shutDown``, and refuses later ones. Returns once all calls, and all
    /// writes of the cache, of the features and of recorders in its settings, have finished.
    ///
    /// The transport stays open, because other clients may share it.
    public func shutdown() async {
        for call in registry.shutDown() {
            call.fail(.shutDown, "the client was shut down: create a new client")
        }
        await lazyPlainClient.load()?.shutdown()
        await httpCache?.refresher.shutdown()
        await registry.empty()
        await sharedStore?.finish()
        for feature in configuration.features.all { await feature.finish() }
        await lazyEventQueue.loaded?.deliverAll()
        for case let observer as any QuickObserver in configuration.observers { await observer.finish() }
    }

    public var description: String {
        "client of \(baseURL.map(configuration.redaction.redact) ?? "no base URL"), \(activeCalls) calls in flight"
    }
}

extension Client: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["client": description]) }
}

/// The parts of a client that have something of its users. They are an object of their own, because weak references to a
/// client would slow its calls.
package final class ClientParts: Sendable {
    let configuration: Client.Configuration
    let identity: IdentitySource
    let registry: CallRegistry
    let sharedStore: SharedStore?
    let number: UInt64
    private let lazyChanges = LazyReference<ChangeLog>()
    private let values = Mutex(TypedValues())

    init(
        _ configuration: Client.Configuration, _ identity: IdentitySource, _ registry: CallRegistry,
        _ sharedStore: SharedStore?, number: UInt64
    ) {
        self.configuration = configuration
        self.identity = identity
        self.registry = registry
        self.sharedStore = sharedStore
        self.number = number
        LiveClients.add(self)
    }

    deinit {
        LiveClients.remove(self)
    }

    /// The changes that concern the calls of the client.
    var changes: ChangeLog {
        sharedStore?.changes ?? lazyChanges.object { ChangeLog.of(configuration.transport) }
    }

    /// Returns what a feature notes about the client, made at the first use.
    package func value<Value: Sendable>(make: () -> Value) -> Value {
        values.withLock { values in
            if let value = values[Value.self] { return value }
            let value = make()
            values[Value.self] = value
            return value
        }
    }

    /// The place of everything that belongs to an identity.
    ///
    /// Clients without a store share the log of their transport. A change of a URL concerns all of them. Identities and
    /// tags are separate for each client.
    func place(of identity: Identity) -> ChangeLog.Place {
        sharedStore == nil ? .identity(CacheKey("\(number) \(identity.scope)")) : identity.place
    }

    func removeCachedResponses(of identity: Identity) async throws {
        changes.note([place(of: identity)])
        guard let sharedStore else { return }
        // A task of its own, because the caller's may be cancelled: the screen may close when the user signs out.
        try await Task {
            try await ResponseStore(shared: sharedStore, identity: identity).shared.remove(.tag(identity.tag))
            try await sharedStore.removeTraces()
        }
        .value
    }
}
