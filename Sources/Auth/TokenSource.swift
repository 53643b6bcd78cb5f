/// Gets the tokens of a ``TokenAuthenticator``: from a token endpoint, a sign-in screen, or another part of the application.
///
/// <doc:RefreshingTokens> has an example.
public protocol TokenSource: Sendable {
    /// Returns a new token.
    ///
    /// One token is requested at a time, however many calls wait for it.
    ///
    /// - Parameters:
    ///   - old: The token that has expired or was rejected; nil if there is none.
    ///   - context: The client of the first call that waits, which sends requests, and the ``AuthenticationContext/request``
    ///     of that call, such as for the scope or the host of the token.
    func token(replacing old: Token?, context: AuthenticationContext) async throws -> Token

    /// Returns the decision after a token could not be had. By default, the waiting calls fail.
    ///
    /// - Parameter failures: The number of failures since the first call began to wait.
    func decision(after error: any Error, failures: Int) async -> TokenDecision

    /// Makes a token unusable at the server. Called when the user signs out.
    func revoke(_ token: Token, context: AuthenticationContext) async throws

    /// A Boolean value that indicates whether the source can get a token for its user without asking the user, such as with a
    /// password. By default, it is false.
    ///
    /// After a sign-out, such a source is not used until a user signs in: calls fail with
    /// `RequestError.Code.signInRequired`.
    var belongsToUser: Bool { get }
}

extension TokenSource {
    public func decision(after error: any Error, failures: Int) async -> TokenDecision { .giveUp }

    public func revoke(_ token: Token, context: AuthenticationContext) async throws {}

    public var belongsToUser: Bool { false }
}

/// The decision after a token could not be had.
public enum TokenDecision: Hashable, Sendable {
    /// The waiting calls fail, each with its own error.
    case giveUp
    /// The token is requested again after a delay. One of more than a century is a century.
    case retry(after: Duration)
    /// The token that was to be replaced is of no use any more, so the user is signed out. The waiting calls fail.
    case signOut
}
