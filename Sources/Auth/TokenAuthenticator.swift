import Synchronization

/// Sends requests with an access token, and replaces the token when it expires or a server rejects it.
///
/// Calls that need a new token are held. One token is requested at a time, however many calls wait for it; then each
/// of them is sent once, or once more. A token that is about to expire is renewed while requests go on with it.
///
/// The ``TokenSource`` gets tokens, and the ``TokenStore`` keeps the current one. Clients may share an authenticator, so that
/// they have one token, and one user.
public final class TokenAuthenticator: SecretHolder {
    let source: any TokenSource
    let store: (any TokenStore)?
    let rules: Rules
    let state = Mutex(State())
    let reports = SignOutReports()
    let secrets = KnownSecrets()
    public let holdLimit: Duration?
    public let problem: String?

    struct Rules: Sendable {
        let window: TimeInterval
        let skew: TimeInterval
        /// The highest number of failures of a token request, before the calls that wait fail.
        let failureLimit = 10
        /// The highest number of new tokens in this time. Servers that reject each of them are left alone.
        let tokenLimit = 5
        let tokenInterval: TimeInterval = 30
        /// The time after which an early renewal that failed is tried again.
        let pause: TimeInterval = 10
    }

    /// Creates an authenticator. With a negative duration, or a hold limit of zero, requests fail with
    /// `RequestError.Code.badPolicy`.
    ///
    /// - Parameters:
    ///   - source: The source of new tokens.
    ///   - store: The store that keeps the token. Without one, it is lost with the process.
    ///   - earlyRenewal: The time before the expiry from which on a token is renewed, while it is still in use.
    ///   - clockSkew: The time by which the clocks of this device and of the servers may differ. A token counts as expired
    ///     that much earlier.
    ///   - holdLimit: The longest time for which a call waits for a token; nil for no limit.
    public init(
        _ source: any TokenSource, store: (any TokenStore)? = nil, earlyRenewal: Duration = .seconds(60),
        clockSkew: Duration = .seconds(5), holdLimit: Duration? = .seconds(60)
    ) {
        self.source = source
        self.store = store
        rules = Rules(window: earlyRenewal.seconds, skew: clockSkew.seconds)
        problem =
            SettingProblem.low("TokenAuthenticator.earlyRenewal", earlyRenewal)
            ?? SettingProblem.low("TokenAuthenticator.clockSkew", clockSkew)
            ?? holdLimit.flatMap { limit in
                limit > .zero
                    ? nil
                    : "TokenAuthenticator.holdLimit is \(limit.text): set more than zero, or nil for no limit"
            }
        self.holdLimit = holdLimit
    }

    // MARK: The token

    /// The current token; nil if the user is signed out.
    public var token: Token? {
        load()
        return state.withLock(\.token)
    }

    public var identity: String? {
        load()
        return state.withLock(\.identity)
    }

    /// Returns the name of a user, or of several joined ones, with the present identity in place of a provisional one.
    func presentName(of name: String) -> String {
        let (provisional, identity) = state.withLock { ($0.provisional, $0.identity) }
        guard let provisional else { return name }
        return name.split(separator: " ", omittingEmptySubsequences: false)
            .map { String($0).hasSameBytes(as: provisional) ? identity : String($0) }.joined(separator: " ")
    }

    /// Replaces the token of the same user, such as by one that another part of the application has requested.
    ///
    /// Calls that wait for a token are sent with it. The token is stored first. If that fails, the function throws. The
    /// token is used all the same, and saved again later. If the user has signed out meanwhile, the function throws
    /// `RequestError.Code.signedOut`, and the token is not used.
    public func update(_ token: Token) async throws {
        try await replace(token, isOtherUser: false)
    }

    /// Sets the token of a user who has just signed in.
    ///
    /// The user before is signed out of all clients with the authenticator: calls fail with
    /// `RequestError.Code.signedOut`, and cookies and cached responses are removed. To also revoke the old token, call
    /// `Client.signOut()` first.
    ///
    /// This includes cookies that the response to the login of the new user has set. If your server sets any, call
    /// `Client.signOut()` before you send the login.
    ///
    /// The token is stored first. If that fails, the function throws. The token is used all the same, and saved again
    /// later. If another sign-in or sign-out begins meanwhile, the function throws `RequestError.Code.signedOut`, and the
    /// token is not used.
    public func signIn(_ token: Token) async throws {
        try await replace(token, isOtherUser: true)
    }

    /// The sign-outs from now on, with their reasons. Use it to show a sign-in screen.
    ///
    /// ```swift
    /// for await cause in session.signOuts { showSignIn(cause) }
    /// ```
    ///
    /// Each read of the property is a sequence of its own. It ends with the authenticator.
    public var signOuts: AsyncStream<SignOutCause> { reports.values }

    // MARK: Requests

    public func authorize(_ request: HTTPRequest, context: AuthenticationContext) -> Authorization {
        load()
        guard let header = lastingHeader(context) ?? header(at: context.now, context) else { return .waits }
        var request = request
        request.headers.set(name: "Authorization", value: header)
        return .ready(request)
    }

    /// The header of a token without an expiry; nil if there is no such token. It needs no look at the time.
    private func lastingHeader(_ context: AuthenticationContext) -> String? {
        state.withLock {
            $0.token?.expires == nil && !$0.isRejected && !$0.isUnsaved && !$0.givesWay(context) ? $0.header : nil
        }
    }

    /// Returns the header of a token that a request is sent with; nil if the token has to be replaced.
    private func header(at now: Date, _ context: AuthenticationContext) -> String? {
        state.withLock {
            $0.use(at: now, rules) == .send && !$0.isSavedAgain(at: now) && !$0.givesWay(context) ? $0.header : nil
        }
    }

    public func authorized(_ request: HTTPRequest, context: AuthenticationContext) async throws -> HTTPRequest {
        load()
        let now = context.now
        let (use, isSavedAgain) = state.withLock { ($0.use(at: now, rules), $0.isSavedAgain(at: now)) }
        if use == .sendAndRenew {
            renew(context.requesting(request))
        } else if use == .send, isSavedAgain {
            saveAgain(context)
        }
        if use != .wait, let token = state.withLock({ $0.givesWay(context) ? nil : $0.token }) {
            return token.authorizing(request)
        }
        return try await newToken(replacing: nil, context.requesting(request)).authorizing(request)
    }

    /// Returns whether a response rejects the token. A response that misses a scope does not: another token would have the same
    /// scopes.
    public func rejects(_ response: HTTPResponse) -> Bool {
        TokenRejection.of(response) == .invalidToken
    }

    public func replacement(
        for request: HTTPRequest, rejectedBy response: HTTPResponse, context: AuthenticationContext
    ) async throws -> HTTPRequest? {
        // The token was new, so another one would be rejected too.
        guard context.rejections == 0 else { return nil }
        do {
            return try await newToken(replacing: request.headers["Authorization"], context.requesting(request))
                .authorizing(request)
        } catch let error as RequestError where error.code == .authenticationFailed {
            // The call fails with its own response.
            return nil
        }
    }
}

extension Token {
    var authorization: String { "\(scheme) \(value)" }

    func authorizing(_ request: HTTPRequest) -> HTTPRequest {
        var request = request
        request.headers.set(name: "Authorization", value: authorization)
        return request
    }
}

extension Duration {
    /// The seconds, as a number for dates.
    fileprivate var seconds: TimeInterval {
        TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18
    }
}

extension TokenAuthenticator: DescribedOnly {
    /// The token without its secrets.
    public var description: String {
        let token = state.withLock(\.token)
        return "token authenticator, \(token.map(\.description) ?? "no token")"
    }
}
