/// Adds the credentials of a user to requests, and replaces credentials that a server has rejected.
///
/// A client has one, in `Client.Configuration.authenticator`. Requests pass it below the HTTP cache: a cached response
/// needs no credentials. ``TokenAuthenticator`` is the one for access tokens. `.basic`, `.bearer` and `.digest` are those
/// for fixed credentials.
///
/// Clients may share an authenticator. Its functions may run for any number of requests at once.
public protocol Authenticator: Sendable {
    /// Returns the authenticator that is responsible for a URL; nil if requests to it get no credentials.
    ///
    /// - Parameters:
    ///   - url: The URL of a request.
    ///   - isTrusted: A Boolean value that indicates whether the client sends credentials to the URL: see
    ///     `Client.allowsCredentials(for:)`. By default, requests to other URLs get none.
    func authenticator(for url: URL, isTrusted: Bool) -> (any Authenticator)?

    /// Returns the request with credentials that are in memory, or says that it has to wait for credentials.
    ///
    /// It runs on the thread that starts the request, so it must not block.
    func authorize(_ request: HTTPRequest, context: AuthenticationContext) -> Authorization

    /// Returns the request with its credentials, once there are some. Called after ``Authorization/waits``.
    ///
    /// The call is held meanwhile. If its task is cancelled, the function throws at once.
    func authorized(_ request: HTTPRequest, context: AuthenticationContext) async throws -> HTTPRequest

    /// Returns whether a response rejects the credentials of its request. By default, its status is 401.
    func rejects(_ response: HTTPResponse) -> Bool

    /// Returns the request to send in place of one that was rejected; nil if the rejection is the response of the call.
    ///
    /// - Parameters:
    ///   - request: The rejected request, with the credentials that it was sent with.
    ///   - response: The response that rejects it.
    ///   - context: The client of the call, and the number of rejections before.
    func replacement(
        for request: HTTPRequest, rejectedBy response: HTTPResponse, context: AuthenticationContext
    ) async throws -> HTTPRequest?

    /// Called with each response that was not rejected, such as for values that the next request needs.
    func received(_ response: HTTPResponse, of request: HTTPRequest)

    /// The reason why the authenticator cannot be used, and what to change; nil if it can. Requests fail with it.
    var problem: String? { get }

    /// The longest time for which a call waits for credentials; nil for no limit. By default, it is one minute.
    ///
    /// After it, the call fails with `RequestError.Code.authenticationTimedOut`.
    var holdLimit: Duration? { get }

    /// The user that the credentials belong to: a text that no other user ever has; nil if it is unknown.
    ///
    /// It takes the place of `Client.Configuration.identity` if that is nil: cached responses of one identity are
    /// served to no other. It is read on the thread that starts a call, so it must not block.
    var identity: String? { get }

    /// Forgets the user's credentials, and revokes them at the server where that is possible: see `Client.signOut()`.
    func signOut(context: AuthenticationContext) async throws
}

extension Authenticator {
    public func authenticator(for url: URL, isTrusted: Bool) -> (any Authenticator)? { isTrusted ? self : nil }

    public func authorized(_ request: HTTPRequest, context: AuthenticationContext) async throws -> HTTPRequest {
        request
    }

    public func rejects(_ response: HTTPResponse) -> Bool { response.status == .unauthorized }

    public func replacement(
        for request: HTTPRequest, rejectedBy response: HTTPResponse, context: AuthenticationContext
    ) async throws -> HTTPRequest? { nil }

    public func received(_ response: HTTPResponse, of request: HTTPRequest) {}

    public var problem: String? { nil }

    public var holdLimit: Duration? { .seconds(60) }

    public var identity: String? { nil }

    public func signOut(context: AuthenticationContext) async throws {}
}

/// The outcome of ``Authenticator/authorize(_:context:)``.
public enum Authorization: Sendable {
    /// The request to send. It has its credentials, or needs none.
    case ready(HTTPRequest)
    /// There are no credentials yet: ``Authenticator/authorized(_:context:)`` waits for them.
    case waits
}
