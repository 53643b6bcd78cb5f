/// A step between calls and the network. It can change the request, return a response of its own, or read the response.
///
/// ```swift
/// struct Stamp: Interceptor {
///     func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
///         var request = request
///         request.headers["X-Request-ID"] = "\(context.call.id)"
///         return try await next(request)
///     }
/// }
/// ```
public protocol Interceptor: Sendable {
    /// Returns the response of the call. This method may run for any number of calls at once.
    ///
    /// An error that it throws is the error of the call, as it was thrown.
    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse
}

/// The properties of a call that an interceptor can use.
public struct CallContext: Sendable {
    package let core: CallCore
    /// In one object, because each stage has a copy of the context, and few change anything.
    private var details: Details

    fileprivate struct Values {
        var options: TransportOptions
        var firstOutcome: FirstOutcome?
        var cause: Attempt.Cause?
        var queued: Duration?
        var values = TypedValues()
    }

    private final class Details: Sendable {
        let values: Values

        init(_ values: Values) {
            self.values = values
        }
    }

    fileprivate mutating func change(_ change: (inout Values) -> Void) {
        var values = details.values
        change(&values)
        details = Details(values)
    }

    init(core: CallCore, options: TransportOptions, firstOutcome: FirstOutcome? = nil, cause: Attempt.Cause? = nil) {
        self.core = core
        details = Details(Values(options: options, firstOutcome: firstOutcome, cause: cause))
    }

    var options: TransportOptions { details.values.options }
    /// The outcome of a direct exchange, in place of the first attempt.
    package var firstOutcome: FirstOutcome? {
        get { details.values.firstOutcome }
        set { change { $0.firstOutcome = newValue } }
    }
    /// The reason for the next attempt, if a stage has set one.
    var cause: Attempt.Cause? { details.values.cause }
    /// The time that the next attempt has waited for a slot of the limiter; nil if it needed not wait.
    var queued: Duration? { details.values.queued }
    /// The values that stages of features leave for later ones.
    package var values: TypedValues { details.values.values }

    /// The call itself: to log it, to store values with it, to cancel it.
    public var call: AnyCall { AnyCall(core) }
    /// The client of the call.
    public var client: Client { core.plan.client }
    /// The policy that the call was declared with.
    public var cachePolicy: CachePolicy { core.plan.cachePolicy }

    /// Returns whether credentials of the client may be sent to a URL: see ``Client/allowsCredentials(for:)``.
    ///
    /// An interceptor that adds a token checks this first, because the request may go to a link that a server has sent:
    ///
    /// ```swift
    /// struct Bearer: Interceptor {
    ///     let token: String
    ///     func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
    ///         guard context.allowsCredentials(for: request.url) else { return try await next(request) }
    ///         var request = request
    ///         request.headers["Authorization"] = "Bearer \(token)"
    ///         return try await next(request)
    ///     }
    /// }
    /// ```
    public func allowsCredentials(for url: URL) -> Bool {
        core.plan.client.allowsCredentials(for: url)
    }
}

extension CallContext {
    /// A Boolean value that indicates whether the user of the call is still signed in.
    package var isUserSignedIn: Bool { core.plan.isUserSignedIn }

    /// The number of attempts of the call so far.
    package var attemptCount: Int { core.attemptCount }

    /// Changes the state of the call, unless it has ended, and of the calls that share its transfer.
    ///
    /// - Parameter wait: The reason for which the call waits in this state.
    package func become(_ state: CallState, for wait: CallWait? = nil) {
        core.becomeWithJoiners(state, for: wait)
    }

    /// Notifies the observers of the call.
    package func notify(_ kind: @autoclosure () -> CallEvent.Kind, attempt number: Int? = nil) {
        core.notify(kind(), attempt: number)
    }
}

/// The rest of the pipeline. Call it once to go on, several times to retry, or not at all to return a response of your
/// own.
public struct Next: Sendable {
    let context: CallContext
    let pipeline: Pipeline
    let place: Int

    /// Returns the rest of the pipeline for an attempt with a reason of its own.
    ///
    /// - Parameter isAnew: A Boolean value that indicates whether the attempt needs a new connection.
    @inline(never)
    package func attempting(_ cause: Attempt.Cause, isAnew: Bool = false) -> Next {
        changed {
            $0.cause = cause
            $0.options.needsNewConnection = isAnew
        }
    }

    /// Returns the rest of the pipeline for a request that asks for `identity`, and gets it from servers that compress
    /// nevertheless.
    package func decodingUnrequested() -> Next { changed { $0.options.decodesUnrequested = true } }

    /// Returns the rest of the pipeline for a part of a file, whose bytes other parts count.
    package func loadingPart() -> Next {
        changed {
            $0.cause = .part
            $0.options.progress = TransportProgress()
        }
    }

    /// Returns the rest of the pipeline for an attempt that has waited for a slot of the limiter.
    func queued(for time: Duration) -> Next { changed { $0.queued = time } }

    /// Returns the rest of the pipeline for a request about which a stage says something to later ones.
    package func with<Value: Sendable>(_ value: Value) -> Next { changed { $0.values[Value.self] = value } }

    private func changed(_ change: (inout CallContext.Values) -> Void) -> Next {
        var context = context
        context.change(change)
        return Next(context: context, pipeline: pipeline, place: place)
    }

    /// Sends the request on, as it is or changed, and returns the response.
    public func callAsFunction(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await pipeline.run(request, context: context, from: place)
    }
}

extension CallContext: CustomStringConvertible {
    /// The call, without secrets.
    public var description: String { "context of \(call)" }
}

extension Next: CustomStringConvertible {
    public var description: String { "the rest of the pipeline of \(context.call)" }
}
