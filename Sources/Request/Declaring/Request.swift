/// A request, declared as a class: its endpoint, its settings and the type of its output.
///
/// ```swift
/// final class GetUser: Request<User> {
///     let id: Int
///     init(id: Int) { self.id = id }
///     override var endpoint: Endpoint { .get("/users/\(id)") }
/// }
/// ```
/// ```swift
/// let name = GetUser(id: 1).promise.map { user in user.name }
/// ```
///
/// **A declaration, not a call.** ``start(lifetime:)`` and the first read of ``promise`` start a ``Call``. It reads the
/// overridden properties once, on the thread that starts it, so subclasses may have variables without locks. Later
/// changes apply to the next call. A request belongs to one thread or actor at a time. Calls and promises can be used
/// from any thread.
///
/// **What to override.** Override at least the ``endpoint``. By default, every other property has the value that the
/// ``client`` has for all its requests. An application can share overrides in base classes of its own.
nonisolated open class Request<Output: Sendable> {
    private var started: Started?

    private struct Started {
        let promise: Promise<Output>
        let isIdempotent: Bool
        #if DEBUG
            let fingerprint: Fingerprint
        #endif

        /// A Boolean value that indicates whether another read starts another call. A request that is not idempotent is not
        /// sent twice, because the server may have processed it before it was cancelled.
        var isOver: Bool { isIdempotent && promise.isCancelled }
    }

    /// The client, while a plan reads the properties, so that ``client`` is called only once. The plan retains it.
    // Unchecked: it is read for each property, and a request belongs to one thread at a time.
    @exclusivity(unchecked) final var reading: Unmanaged<Client>?

    /// Creates a request. Subclasses have initializers that take the parameters of their requests.
    public init() {}

    /// Reads a setting of the client.
    // A key path in place of the closure would check for exclusive access.
    @inline(__always) private final func setting<Value>(_ read: (Client) -> Value) -> Value {
        if let reading { reading._withUnsafeGuaranteedRef(read) } else { read(client) }
    }

    /// The client, whose base URL, headers and settings are used.
    open var client: Client { .default }

    /// The method, the path, the query, the headers and the body of the request.
    open var endpoint: Endpoint { .undeclared }

    /// Headers of this request. They replace those of the client with the same name. Those of the endpoint replace
    /// both.
    ///
    /// An override replaces the headers of its base class: to add to them, write `super.headers + ["X-Extra": "1"]`.
    open var headers: Headers { [:] }

    /// The serializer that makes the output of the response. By default, it follows from the type of the output: see
    /// ``Serializer/default``.
    open var serializer: Serializer<Output> { .default }

    /// The serializer of the body of a refused response: see ``RequestError/payload(as:)``.
    open var errorSerializer: ErrorSerializer? { setting { $0.configuration.errorSerializer } }

    /// The policy by which the request uses the cache of its client.
    open var cachePolicy: CachePolicy { setting { $0.cachePolicy } }

    /// The key of the cached response. If nil, it follows from the method, the URL, the body and the negotiated fields.
    /// It applies under every ``cachePolicy``.
    ///
    /// Two requests with the same key share a response, unless they are sent for different users. The
    /// ``Client/Configuration/identity`` is part of every key, or without one the credentials of the request. The `Vary` of
    /// a response still applies.
    open var cacheKey: CacheKey? { nil }

    /// The version of the cached responses. Under any ``cachePolicy``, responses of another version are not used. Raise
    /// it when the meaning of a response has changed.
    open var schemaVersion: Int { 0 }

    /// The rules by which a response counts as a success.
    open var validation: Validation { setting { $0.configuration.validation } }

    /// The rule for a call of this request that starts while another call of its kind is in flight.
    open var uniqueness: Uniqueness { setting { $0.configuration.uniqueness } }

    /// The longest waits for a connection, for the next byte, and for the whole call.
    open var timeouts: Timeouts { setting { $0.configuration.timeouts } }

    /// The order in which the request is sent if it waits for the limiter of its client.
    open var priority: CallPriority { .normal }

    /// The rules by which redirects of the request are followed.
    open var redirectPolicy: RedirectPolicy { setting { $0.configuration.redirectPolicy } }

    /// The rules by which the request is sent again if it fails.
    open var retryPolicy: RetryPolicy { setting { $0.configuration.retryPolicy } }

    /// The budget of the retries of the request. By default, it is that of the client.
    ///
    /// Requests share a budget if this property returns the same object, so keep it in a constant:
    ///
    /// ```swift
    /// final class SendReport: Request<Void> {
    ///     static let budget = RetryBudget(burst: 50)
    ///     override var endpoint: Endpoint { .put("/report") }
    ///     override var retryBudget: RetryBudget { Self.budget }
    /// }
    /// ```
    open var retryBudget: RetryBudget { setting { $0.configuration.retryBudget } }

    /// The rule by which the next page of a list is found: see ``pages``. By default, it is the `Link` header field.
    open var paging: Paging<Output> { .linkHeader }

    /// The longest time for which the request waits for a network if the device has none; nil to send it without
    /// waiting.
    open var waitsForConnectivity: Duration? { setting { $0.configuration.waitsForConnectivity } }

    /// The kinds of networks that the request may use, on Apple platforms. Linux does not know them.
    ///
    /// ```swift
    /// final class SendBackup: Request<Void> {
    ///     override var endpoint: Endpoint { .put("/backup") }
    ///     override var networks: NetworkKinds { [] }
    /// }
    /// ```
    ///
    /// Without a network that it may use, a call fails with ``RequestError/Code/offline``.
    open var networks: NetworkKinds { setting { $0.configuration.networks } }

    /// The rule for a call whose application leaves the foreground.
    open var backgroundPolicy: BackgroundPolicy { setting { $0.configuration.backgroundPolicy } }

    /// The servers that the request trusts at the other end of an `https` connection.
    open var trust: ServerTrust { setting { $0.configuration.trust } }

    /// The style in which lists, dates and Booleans are written in the query of the endpoint.
    open var queryStyle: QueryStyle { setting { $0.configuration.queryStyle } }

    /// The highest number of bytes in the body of the response; nil for no limit. The client's limit is 256 MB by
    /// default.
    open var responseLimit: Int? { setting { $0.configuration.responseLimit } }

    /// The scheduler that runs callbacks and the handlers of the promise, unless they name another.
    open var callbackScheduler: Scheduler { setting { $0.configuration.callbackScheduler } }

    /// The observers of calls of this request, besides those of the client.
    open var observers: [any CallObserver] { [] }

    /// Words by which calls can be found: see ``Client/calls``.
    open var tags: Set<String> { [] }

    /// The name of the request in lists of calls and in logs. By default, it is the method and path.
    open var identifier: String? { nil }

    /// The promise of a call that starts when this property is first read. Later reads return the same promise.
    ///
    /// The promise sends one request, however many links it has. For another call, call ``start(lifetime:)``, or create
    /// another request.
    ///
    /// If the promise was cancelled, for example because the task that awaited it was, the next read starts another call.
    /// A `POST` or a `PATCH` is not sent again: its promise stays cancelled, because the server may have processed it.
    public final var promise: Promise<Output> {
        if let started, !started.isOver {
            #if DEBUG
                if let change = started.fingerprint.change(to: Fingerprint(of: self)) {
                    RequestDiagnostics.report(
                        "\(Self.self).promise was read again after the request had changed \(change): it still belongs "
                            + "to the call of the first read. Use start(), or a new request.")
                }
            #endif
            return started.promise
        }
        let call = start()
        let promise = call.promise
        let isIdempotent = call.core.plan.method.isIdempotent
        #if DEBUG
            started = Started(promise: promise, isIdempotent: isIdempotent, fingerprint: Fingerprint(of: self))
        #else
            started = Started(promise: promise, isIdempotent: isIdempotent)
        #endif
        return promise
    }

    /// Starts a call.
    @discardableResult
    public final func start(lifetime: CallLifetime = .managed) -> Call<Output> {
        Call.start(Plan(self), lifetime: lifetime)
    }
}

#if DEBUG
    /// The comparable parts of a request. They detect a promise that is read again after its request has changed.
    /// Reports show no values, because these may be secrets.
    struct Fingerprint: Equatable {
        private let line: ExactString
        private let query: ExactString
        private let headers: Headers
        private let body: [UInt8]

        init<Output>(of request: Request<Output>) {
            let endpoint = request.endpoint
            line = ExactString("\(endpoint.method) \(endpoint.path)")
            query = ExactString((try? endpoint.query.encoded(request.queryStyle)) ?? "")
            headers = Headers(Array(request.headers) + Array(endpoint.headers))
            body = Self.sortedBytes(of: endpoint.body, json: request.client.configuration.json)
        }

        /// Returns the bytes of a body in sorted order, because fields made of a dictionary come in any order.
        private static func sortedBytes(of body: Body, json: JSONCoding) -> [UInt8] {
            guard case .data(let data)? = try? body.encoded(with: json).content, data.count <= 64 << 10 else {
                return []
            }
            return data.sorted()
        }

        /// Returns a short text that says what has changed; nil if nothing has.
        func change(to other: Fingerprint) -> String? {
            if self == other { return nil }
            if line != other.line { return "its method or path" }
            if query != other.query { return "its query" }
            return headers == other.headers ? "its body" : "its headers"
        }
    }
#endif
