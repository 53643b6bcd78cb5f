import TangoCache
import TangoPromise

/// A request as a class: what it asks for, and what comes of it.
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
/// **A declaration, not a run.** Each run is a ``Call``, made by ``start(lifetime:)`` or by the first read of ``promise``. It
/// reads the overridden properties once, on the thread that starts it, so that subclasses may have variables and need no
/// thought about threads; what is changed afterwards counts for the next run. A request belongs to one thread or actor at a
/// time; calls and promises belong to all.
///
/// **What to override.** The ``endpoint`` at least. Every other property reads what the ``client`` has for all its
/// requests. Base classes of an application's own go in between.
nonisolated open class Request<Output: Sendable> {
    private var started: Started?

    private struct Started {
        let promise: Promise<Output>
        #if DEBUG
            let fingerprint: Fingerprint
        #endif
    }

    /// The client, while a plan is being read, which keeps it: so that it is asked for once.
    final var reading: Unmanaged<Client>?

    /// For subclasses, whose own initializers take what their requests are about.
    public init() {}

    /// What the client has for all its requests.
    private final func setting<Value>(_ read: (Client) -> Value) -> Value {
        if let reading { reading._withUnsafeGuaranteedRef(read) } else { read(client) }
    }

    /// Whose base URL, headers and settings are used.
    open var client: Client { .default }

    /// Where the request goes, and with what.
    open var endpoint: Endpoint { .undeclared }

    /// Headers of this request, which come before those of the client. Those of the endpoint come before both.
    ///
    /// An override replaces the headers of its base class: to add to them, write `super.headers + ["X-Extra": "1"]`.
    open var headers: Headers { [:] }

    /// What makes the output of the response. By default it follows from the output: see ``Serializer/default``.
    open var serializer: Serializer<Output> { .default }

    /// What makes a value of the body of a response that was refused: see ``RequestError/payload(as:)``.
    open var errorSerializer: ErrorSerializer? { setting(\.configuration.errorSerializer) }

    /// Whether the request is answered from the cache of its client, and whether its answer is kept there.
    open var cachePolicy: CachePolicy { setting(\.cachePolicy) }

    /// The key of the cached response, in place of the one that follows from the method, the URL, the body and the negotiated
    /// fields. It holds under every ``cachePolicy``.
    ///
    /// Two requests with the same key share a response, unless they are sent for different users: the
    /// ``Client/Configuration/identity`` is part of every key, or without one the credentials of the request.
    open var cacheKey: CacheKey? { nil }

    /// The version of the cached responses. Responses of another version are not used, under any ``cachePolicy``: raise it when
    /// the meaning of a response has changed.
    open var schemaVersion: Int { 0 }

    /// By which rules a response counts as a success.
    open var validation: Validation { setting(\.configuration.validation) }

    /// What becomes of a call of this request while another of its kind is under way.
    open var uniqueness: Uniqueness { setting(\.configuration.uniqueness) }

    /// How long to wait for a connection, for the next byte, and for all of it.
    open var timeouts: Timeouts { setting(\.configuration.timeouts) }

    /// Whom to trust at the other end of an `https` connection.
    open var trust: ServerTrust { setting(\.configuration.trust) }

    /// How lists, dates and the like are written in the query of the endpoint.
    open var queryStyle: QueryStyle { setting(\.configuration.queryStyle) }

    /// How many bytes the body of the response may have; nil is no limit. The client's is 256 MB unless it says otherwise.
    open var responseLimit: Int? { setting(\.configuration.responseLimit) }

    /// Where callbacks and the handlers of the promise run, unless they say otherwise.
    open var callbackScheduler: Scheduler { setting(\.configuration.callbackScheduler) }

    /// Who hears of the calls of this request, besides the observers of the client.
    open var observers: [any CallObserver] { [] }

    /// Words by which calls can be found: see ``Client/calls``.
    open var tags: Set<String> { [] }

    /// What the request is called where calls are listed and logged. By default its method and path.
    open var identifier: String? { nil }

    /// The promise of a run that began when this was first read, and that later reads share.
    ///
    /// However many links hang on it, one request is sent. For another run, call ``start(lifetime:)``, or make another request.
    public final var promise: Promise<Output> {
        if let started {
            #if DEBUG
                if let change = started.fingerprint.change(to: Fingerprint(of: self)) {
                    RequestDiagnostics.report(
                        "\(Self.self).promise was read again after the request had changed \(change): it is still the promise "
                            + "of what the request was first. Use start(), or a new request.")
                }
            #endif
            return started.promise
        }
        let promise = start().promise
        #if DEBUG
            started = Started(promise: promise, fingerprint: Fingerprint(of: self))
        #else
            started = Started(promise: promise)
        #endif
        return promise
    }

    /// Begins a run.
    @discardableResult
    public final func start(lifetime: CallLifetime = .managed) -> Call<Output> {
        Call.start(Plan(self), lifetime: lifetime)
    }
}
