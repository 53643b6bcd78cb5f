extension Client {
    /// The settings of a client. Every setting has a default.
    ///
    /// ```swift
    /// let api = Client(baseURL: URL(string: "https://api.example.com")) {
    ///     $0.headers = ["Accept": "application/json"]
    ///     $0.timeouts = Timeouts(connect: .seconds(5), idle: .seconds(30))
    /// }
    /// ```
    ///
    /// A request overrides a setting of its client by a property of the same name, such as ``Request/timeouts``.
    public struct Configuration: Sendable {
        /// The transport that sends the requests. Clients may share one: ``Client/shutdown()`` leaves it open.
        public var transport: any Transport = DefaultTransport.shared
        /// Headers of every declared request. A header that a request has itself replaces the one of the same name.
        ///
        /// Headers that hold credentials are sent to the origin of ``Client/baseURL`` and to ``trustedOrigins`` only.
        public var headers: Headers = [:]
        /// The header `User-Agent` of every declared request, and of requests for credentials; nil for none.
        ///
        /// By default, it names the application, Tango and the system, such as `Shop/2.1 Tango/0.1.0 (iOS 18.1.0)`. A header
        /// `User-Agent` of the client or of the request replaces it.
        public var userAgent: String? = UserAgent.standard
        /// Origins besides that of ``Client/baseURL`` to which the client sends its credentials, such as
        /// `https://cdn.example.com`.
        ///
        /// An origin is a scheme, a host and a port; the port of the scheme need not be written. If an entry is not an
        /// origin, every request of the client fails with ``RequestError/Code/badURL``.
        public var trustedOrigins: [String] = []
        /// The policy by which requests use the cache. By default, it is ``CachePolicy/http`` for a client with a
        /// cache, and ``CachePolicy/networkOnly`` for a client without one.
        public var cachePolicy: CachePolicy?
        /// The time for which a cached response counts as fresh under ``CachePolicy/http`` if its server names none.
        public var heuristicFreshness = HeuristicFreshness.standard
        /// The times after which requests fail.
        public var timeouts = Timeouts.default
        /// The rules by which redirects are followed.
        public var redirectPolicy = RedirectPolicy.follow()
        /// The rules by which requests that failed are sent again.
        public var retryPolicy = RetryPolicy.connectionLoss
        /// The highest number of retries for each host. Clients that have the same object share it.
        public var retryBudget = RetryBudget.standard
        /// The limit for the number of requests that are sent at the same time; nil for none but that of the transport.
        public var limiter: Limiter?
        /// The longest time for which a call waits for a network if the device has none; nil to send requests without
        /// waiting.
        ///
        /// While it waits, the state of the call is ``CallState/waitingForConnectivity``. After this time, it fails with
        /// ``RequestError/Code/offline``. Requests to the device itself, such as to `localhost` or a Unix socket, never
        /// wait.
        public var waitsForConnectivity: Duration?
        /// The source of the device's connection to a network. That of the system is first used when a request has failed
        /// to connect, may wait for a network, or has a stale cached response.
        public var connectivity: any Connectivity = SystemConnectivity.shared
        /// The kinds of networks that requests may use, on Apple platforms. Linux does not know them.
        public var networks = NetworkKinds.all
        /// The rule for calls whose application leaves the foreground.
        public var backgroundPolicy = BackgroundPolicy.suspend
        /// The source of time in which calls finish after their application has left the foreground.
        public var backgroundTime: any BackgroundTime = SystemBackgroundTime.shared
        /// The random numbers of waits before retries, from zero to one, below one. Another number counts as the nearest.
        public var random: @Sendable () -> Double = { .random(in: 0..<1) }
        /// The servers that requests trust at the other end of an `https` connection.
        public var trust = ServerTrust.system
        /// The rules by which responses count as successes. A request can replace them.
        public var validation = Validation.default
        /// The rule for a call that starts while another call of its kind is in flight.
        public var uniqueness = Uniqueness.allow
        /// The serializer of the bodies of refused responses, if they are to be decoded.
        public var errorSerializer: ErrorSerializer?
        /// The scheduler that runs callbacks and the handlers of promises.
        public var callbackScheduler = Scheduler.background
        /// The coders of JSON bodies. A body or a serializer may have its own.
        public var json = JSONCoding.default
        /// The style in which lists, dates and Booleans are written in the queries of endpoints.
        public var queryStyle = QueryStyle()
        /// The highest number of bytes in the body of a response that is delivered as a whole: 256 MB by default, and
        /// no limit if nil. A streamed body has no limit.
        public var responseLimit: Int? = TransportOptions.Delivery.defaultLimit
        /// The user that requests are sent for: a name that stays the same for the same user.
        ///
        /// A response that was cached for one user is used for no other. ``Client/removeCachedResponses()`` removes the
        /// responses of this user. The name is not sent, and the cache holds only its digest.
        ///
        /// Without an identity, the credentials of each request take its place: the headers whose values
        /// ``Redaction/standard`` hides. If an interceptor behind the cache then adds credentials to a request, its response is not cached.
        public var identity: String?
        /// The limits of decompressed bodies. If nil, no compressed response is requested, and none is decompressed.
        public var decompression: Decompression? = Decompression()
        /// The interceptors that see each call once, as it was declared.
        public var interceptors: [any Interceptor] = []
        /// The interceptors that see each attempt, as it is sent.
        public var attemptInterceptors: [any Interceptor] = []
        /// The observers of every call of the client.
        public var observers: [any CallObserver] = []
        /// The log of all calls of the client: off by default.
        public var log = CallLog.off
        /// The values that all descriptions, errors, logs and recordings of the client redact.
        ///
        /// A header that it redacts counts as a credential: it is sent to the origin of ``Client/baseURL`` and to
        /// ``trustedOrigins`` only.
        public var redaction = Redaction.standard
        /// The clock that measures ``Timeouts/total``. A `ManualClock` also moves the age of cached responses.
        public var clock: any Clock<Duration> = ContinuousClock()
        /// The time of day, which determines the age of cached responses. By default, it is that of the system.
        public var now: (@Sendable () -> Date)?
        /// The features that modules have added.
        package var features = Features()

        /// Creates a configuration in which every setting has its default.
        public init() {}

        /// Adds an observer that calls a closure with each event of each call of the client.
        ///
        /// ```swift
        /// let observed = Client(baseURL: url) {
        ///     $0.observe { event in
        ///         if case .sending(let request) = event.kind { print(request) }
        ///     }
        /// }
        /// ```
        public mutating func observe(_ handle: @escaping @Sendable (CallEvent) -> Void) {
            observers.append(ClosureObserver(handle))
        }
    }

    /// Creates a client with other settings, which shares the base URL, the cache and the transport with this one.
    ///
    /// ```swift
    /// let patient = api.with { $0.timeouts.idle = .seconds(120) }
    /// ```
    ///
    /// Each client has its own calls: ``calls``, ``cancelAll(tagged:)`` and ``shutdown()`` of one do not affect the
    /// other. Their calls do not share transfers.
    public func with(_ change: (inout Configuration) throws -> Void) rethrows -> Client {
        var configuration = configuration
        try change(&configuration)
        return Client(baseURL: baseURL, cache: cache, configuration: configuration)
    }

    /// Creates a client for another server, such as that of a test environment, with the settings, the cache and the
    /// transport of this one.
    ///
    /// ```swift
    /// let staging = api.with(baseURL: URL(string: "https://staging.example.com"))
    /// ```
    ///
    /// Credentials of the settings are sent to the new origin, and no longer to the old one, unless
    /// ``Configuration/trustedOrigins`` names it. Cookies and tokens are those of this client.
    public func with(baseURL: URL?) -> Client {
        Client(baseURL: baseURL, cache: cache, configuration: configuration)
    }
}

extension Client.Configuration: CustomStringConvertible {
    /// All settings, without secrets. Functions and objects are described by their types.
    public var description: String {
        (settings.map { "\($0.name): \($0.value)" } + features.all.compactMap(\.setting)).joined(separator: "\n")
    }

    /// Each setting of the library with its value. A test compares the names with the properties.
    var settings: [(name: String, value: String)] {
        func type(_ value: Any?) -> String { value.map { "\(Swift.type(of: $0))" } ?? "none" }
        func text(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "none" }
        func types(_ values: [Any]) -> String { "[\(values.map { type($0) }.joined(separator: ", "))]" }
        return [
            ("transport", type(transport)),
            ("headers", "\(redaction.redact(headers).map { "\($0.name): \($0.value)" })"),
            ("userAgent", text(userAgent)),
            ("trustedOrigins", "\(trustedOrigins)"),
            ("cachePolicy", cachePolicy.map { "\($0)" } ?? "default"),
            ("heuristicFreshness", "\(heuristicFreshness.fraction), at most \(heuristicFreshness.limit.text)"),
            ("timeouts", "\(timeouts)"),
            ("redirectPolicy", "\(redirectPolicy)"),
            ("retryPolicy", "\(retryPolicy)"),
            ("retryBudget", "\(retryBudget)"),
            ("limiter", text(limiter)),
            ("waitsForConnectivity", text(waitsForConnectivity?.text)),
            ("connectivity", type(connectivity)),
            ("networks", "\(networks)"),
            ("backgroundPolicy", "\(backgroundPolicy)"),
            ("backgroundTime", type(backgroundTime)),
            ("random", type(random)),
            ("trust", trust == .system ? "system" : type(trust)),
            ("validation", type(validation)),
            ("uniqueness", "\(uniqueness)"),
            ("errorSerializer", type(errorSerializer)),
            ("callbackScheduler", type(callbackScheduler)),
            ("json", type(json)),
            ("queryStyle", type(queryStyle)),
            ("responseLimit", responseLimit.map { "\($0) bytes" } ?? "none"),
            ("identity", identity == nil ? "none" : Redaction.ellipsis),
            ("decompression", text(decompression)),
            ("interceptors", types(interceptors)),
            ("attemptInterceptors", types(attemptInterceptors)),
            ("observers", types(observers)),
            ("log", "\(log)"),
            ("redaction", "\(redaction)"),
            ("clock", type(clock)),
            ("now", type(now)),
        ]
    }
}

extension Client.Configuration: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["configuration": description]) }
}

/// The transport of clients whose configuration names none.
enum DefaultTransport {
    #if os(Linux)
        static var shared: any Transport { CurlTransport.shared }
    #else
        static var shared: any Transport { URLSessionTransport.shared }
    #endif
}
