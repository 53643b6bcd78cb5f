#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stands between calls and the network: changes what is sent, answers instead, or looks at what comes back.
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
    /// Returns the response of the call. Any number of calls may be in here at once.
    ///
    /// An error that it throws is the error of the call, as it was thrown.
    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse
}

/// What an interceptor may know of the call that it serves.
public struct CallContext: Sendable {
    let core: CallCore
    let options: TransportOptions
    /// The outcome of a direct exchange, in place of the first attempt.
    var firstOutcome: FirstOutcome?
    /// The reason for the next attempt, if a stage says one.
    var cause: Attempt.Cause?

    /// The call itself: to name it, to keep things with it, to cancel it.
    public var call: AnyCall { AnyCall(core) }
    /// The client that carries the call out.
    public var client: Client { core.plan.client }
    /// What the call was declared with.
    public var cachePolicy: CachePolicy { core.plan.cachePolicy }

    /// Returns whether credentials of the client may be sent to a URL: see ``Client/allowsCredentials(for:)``.
    ///
    /// An interceptor that adds a token asks first, because the request may go to a link that a server has sent:
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
    /// Changes the state of the call, unless it has ended.
    func become(_ state: CallState) { core.become(state) }

    /// Notifies the observers of the call.
    func tell(_ kind: @autoclosure () -> CallEvent.Kind, attempt number: Int? = nil) {
        core.tell(kind(), attempt: number)
    }
}

/// The rest of the pipeline: call it once to go on, several times to try again, not at all to answer oneself.
public struct Next: Sendable {
    let context: CallContext
    let pipeline: Pipeline
    let place: Int

    /// The same, for an attempt with a reason of its own.
    func attempting(_ cause: Attempt.Cause) -> Next {
        var context = context
        context.cause = cause
        return Next(context: context, pipeline: pipeline, place: place)
    }

    /// Sends the request on, as it is or changed, and returns what comes back.
    public func callAsFunction(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await pipeline.run(request, context: context, from: place)
    }
}
