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
    /// What the paths of endpoints are put after. Without one, an endpoint has to name a whole URL.
    public let baseURL: URL?
    /// Where answers are kept.
    public let cache: (any CacheStore)?
    /// What carries the requests. Clients may share one: ``shutdown()`` leaves it open.
    public let transport: any Transport
    /// Headers of every request that is declared. What a request has itself comes before them.
    ///
    /// Those that hold credentials are sent to the origin of ``baseURL`` and to ``trustedOrigins`` only.
    public let headers: Headers
    /// Origins besides that of ``baseURL`` to which the client sends its credentials, such as `https://cdn.example.com`.
    ///
    /// An origin is a scheme, a host and a port; the port of the scheme need not be written. If an entry is not an origin,
    /// every request of the client fails with ``RequestError/Code/badURL``.
    public let trustedOrigins: [String]
    /// Whether requests are answered from the cache: by the rules of HTTP where there is one, unless a client or a request
    /// says otherwise.
    public let cachePolicy: CachePolicy
    /// For how long a cached response counts as fresh under ``CachePolicy/http`` if its server does not say so.
    public let heuristicFreshness: HeuristicFreshness
    /// How long requests wait, unless they say otherwise.
    public let timeouts: Timeouts
    /// Whom requests trust at the other end of an `https` connection, unless they say otherwise.
    public let trust: ServerTrust
    /// By which rules responses count as successes. A request that has rules of its own has none of these.
    public let validation: Validation
    /// What becomes of a call while another of its kind is under way.
    public let uniqueness: Uniqueness
    /// What makes a value of the body of a response that was refused; nil where none is made.
    public let errorSerializer: ErrorSerializer?
    /// Where callbacks and the handlers of promises run, unless a request or a handler says otherwise.
    public let callbackScheduler: Scheduler
    /// The coders of JSON bodies, unless a body or a serializer has its own.
    public let json: JSONCoding
    /// How lists, dates and the like are written in the queries of endpoints.
    public let queryStyle: QueryStyle
    /// How many bytes the body of a response may have that is delivered as a whole: 256 MB unless another limit is given, and
    /// nil for no limit. A streamed body has none.
    public let responseLimit: Int?
    /// Who the requests are sent for: a name that is the same whenever the same user comes back. What is kept for one is
    /// given to no other, and ``removeCachedAnswers()`` removes it. It is not sent, and kept as a digest only.
    ///
    /// Without one, the credentials of each request take its place: the headers whose values ``Redaction`` hides. Nothing is
    /// cached then of what an interceptor behind the cache has requested with credentials.
    public let identity: String?
    /// Whether compressed responses are asked for and decoded.
    public let decompresses: Bool
    /// Who hears of every call of this client.
    public let observers: [any CallObserver]
    /// What ``Timeouts/total`` is measured by. A `ManualClock` moves the age of what is kept as well.
    public let clock: any Clock<Duration>
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
    let answerScope: String
    let wallTime: WallTime
    let plainBase: RequestURL.PlainBase?
    let registry = CallRegistry()
    let uniqueCalls = UniqueCalls()
    let flights = Flights()
    let eventQueue = EventQueue()

    /// A client for which the library decides all that is not said here.
    ///
    /// With a cache and no policy, ``CachePolicy/http`` is the policy. `now` is the time of day, by which the age of
    /// what is kept is told: the system's, unless a test has one of its own.
    public init(
        baseURL: URL? = nil, cache: (any CacheStore)? = nil, transport: (any Transport)? = nil, headers: Headers = [:],
        trustedOrigins: [String] = [], cachePolicy: CachePolicy? = nil,
        heuristicFreshness: HeuristicFreshness = .standard, timeouts: Timeouts = .default,
        trust: ServerTrust = .system, validation: Validation = .default,
        uniqueness: Uniqueness = .allow,
        errorSerializer: ErrorSerializer? = nil, callbackScheduler: Scheduler = .background,
        json: JSONCoding = .default,
        queryStyle: QueryStyle = QueryStyle(), responseLimit: Int? = TransportOptions.Delivery.defaultLimit,
        identity: String? = nil,
        decompresses: Bool = true, interceptors: [any Interceptor] = [], attemptInterceptors: [any Interceptor] = [],
        observers: [any CallObserver] = [], clock: any Clock<Duration> = ContinuousClock(),
        now: (@Sendable () -> Date)? = nil
    ) {
        let transport = transport ?? DefaultTransport.shared
        self.baseURL = baseURL
        plainBase = RequestURL.PlainBase(baseURL)
        self.cache = cache
        self.transport = transport
        self.headers = headers
        self.trustedOrigins = trustedOrigins
        originRule = OriginRule(baseURL: baseURL, trustedOrigins: trustedOrigins)
        plainHeaders = headers.withoutCredentials
        #if DEBUG
            CredentialReports.report(headers, of: originRule)
        #endif
        var policy = cachePolicy ?? (cache == nil ? .networkOnly : .http)
        policy.isDefault = true
        self.cachePolicy = policy
        self.heuristicFreshness = heuristicFreshness
        self.timeouts = timeouts
        self.trust = trust
        self.validation = validation
        self.uniqueness = uniqueness
        self.errorSerializer = errorSerializer
        self.callbackScheduler = callbackScheduler
        self.json = json
        self.queryStyle = queryStyle
        self.responseLimit = responseLimit
        self.identity = identity
        let sharedStore = cache.map { SharedStore.of($0) }
        self.sharedStore = sharedStore
        changes = sharedStore?.changes ?? ChangeLog.of(transport)
        number = Self.lastNumber.add(1, ordering: .relaxed).newValue
        answerScope = AnswerKey.scope(of: identity)
        let wallTime = WallTime(now, clock: clock)
        self.wallTime = wallTime
        self.decompresses = decompresses
        self.observers = observers
        self.clock = clock
        let httpCache = sharedStore.map { store in
            HTTPCacheInterceptor.ofCalls(
                in: store, identity: identity, heuristicFreshness: heuristicFreshness, now: { wallTime.now })
        }
        self.httpCache = httpCache
        pipeline = Pipeline(
            transport: transport, interceptors: interceptors, stages: Pipeline.addedStages, httpCache: httpCache,
            attemptInterceptors: attemptInterceptors)
    }

    private static let lastNumber = Atomic<UInt64>(0)

    /// Returns whether credentials of this client may be sent to a URL: its origin is that of ``baseURL`` or one of
    /// ``trustedOrigins``.
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
