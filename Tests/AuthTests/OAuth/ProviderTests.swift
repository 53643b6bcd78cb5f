import Foundation
import Synchronization
import TangoPromise
import Testing

@testable import TangoAuth
@testable import TangoRequest
@testable import TestSupport

/// An OAuth 2 server that is not part of this package. `.ci/oauth` starts it.
private enum Provider {
    static let url = ProcessInfo.processInfo.environment["TANGO_OAUTH_PROVIDER"].flatMap { URL(string: $0) }
    static let isThere = url != nil
    static let comment: Comment = "it needs an OAuth 2 server: run the tests with .ci/oauth"
}

@Suite(.enabled(if: Provider.isThere, Provider.comment), .timeLimit(.minutes(20)))
struct ProviderTests {
    private static let redirect = URL(string: "com.example.app:/signed-in")
    private static let service = OAuthClient(id: "service", secret: "secret-of_the.service")

    private let base: URL

    init() throws {
        base = try #require(Provider.url)
    }

    private func oauth(_ grant: OAuth2.Grant, client: OAuthClient) -> OAuth2 {
        OAuth2(
            tokenURL: base.appending(path: "token"), client: client, grant: grant,
            revocationURL: base.appending(path: "revoke"))
    }

    private func client(_ session: TokenAuthenticator? = nil, clock: any Clock<Duration> = ContinuousClock()) -> Client
    {
        Client(baseURL: base) {
            $0.timeouts = .patient
            $0.clock = clock
            $0.authenticator = session
        }
    }

    /// Opens a URL as a browser does, and returns the URL that it is redirected to.
    private func callback(of url: URL) async throws -> URL {
        let browser = client().with { $0.redirectPolicy = .refuse }
        let response = try await browser.send(HTTPRequest(url: url))
        return try #require(response.headers["Location"].flatMap { URL(string: $0) })
    }

    private func signedIn() async throws -> (oauth: OAuth2, token: Token) {
        let redirect = try #require(Self.redirect)
        let oauth = oauth(
            .authorizationCode(at: base.appending(path: "authorize"), redirectURL: redirect, scopes: ["read"]),
            client: OAuthClient(id: "app"))
        let request = try oauth.authorizationRequest()
        let callback = try await callback(of: request.url)
        return (oauth, try await oauth.token(for: request, callback: callback, client: client()))
    }

    @Test func clientCredentialsOpenAResource() async throws {
        for application in [Self.service, OAuthClient(id: "poster", secret: "p&st=+ ü%41", authentication: .post)] {
            let session = TokenAuthenticator(oauth(.clientCredentials(scopes: ["read"]), client: application))
            let text = try await client(session).get("/data", as: String.self).value
            #expect(text.contains(#""scope":"read""#))
            #expect(session.token?.scopes == ["read"])
            #expect(session.token?.expires != nil)
        }
    }

    @Test func codeWithAProofKeyIsExchanged() async throws {
        let (oauth, token) = try await signedIn()
        #expect(token.refreshToken != nil)
        let session = TokenAuthenticator(oauth)
        try await session.signIn(token)
        #expect(try await client(session).get("/data", as: String.self).value.contains("read"))
    }

    @Test func codeOfAnotherProofKeyIsRefused() async throws {
        let redirect = try #require(Self.redirect)
        let oauth = oauth(
            .authorizationCode(at: base.appending(path: "authorize"), redirectURL: redirect),
            client: OAuthClient(id: "app"))
        let state = ProofKey.random()
        let mine = try oauth.authorizationRequest(nonce: nil, state: state, key: ProofKey())
        let other = try oauth.authorizationRequest(nonce: nil, state: state, key: ProofKey())
        let callback = try await callback(of: other.url)
        let client = client()
        await #expect { try await oauth.token(for: mine, callback: callback, client: client) } throws: {
            OAuthError.Code.invalidGrant ~= $0
        }
    }

    @Test func deniedSignInIsTyped() async throws {
        let redirect = try #require(Self.redirect)
        let oauth = oauth(
            .authorizationCode(
                at: base.appending(path: "authorize"), redirectURL: redirect, fields: ["deny": "1"]),
            client: OAuthClient(id: "app"))
        let request = try oauth.authorizationRequest()
        let callback = try await callback(of: request.url)
        #expect { try request.code(in: callback) } throws: { OAuthError.Code.accessDenied ~= $0 }
    }

    @Test func rejectedTokenIsRefreshedWithRotation() async throws {
        let (oauth, first) = try await signedIn()
        let session = TokenAuthenticator(oauth, store: .memory)
        try await session.signIn(first)
        let client = client(session)
        // The server does not know this one.
        var spoiled = first
        spoiled.value += "x"
        try await session.update(spoiled)

        #expect(try await client.get("/data", as: String.self).value.contains("read"))
        let second = try #require(session.token)
        #expect(second.value != first.value)
        #expect(second.refreshToken != nil && second.refreshToken != first.refreshToken)
    }

    @Test func usedRefreshTokenSignsTheUserOut() async throws {
        let (oauth, first) = try await signedIn()
        let client = client()
        let context = AuthenticationContext(client: client)
        _ = try await oauth.token(replacing: first, context: context)
        do {
            _ = try await oauth.token(replacing: first, context: context)
            Issue.record("the server has accepted a refresh token twice")
        } catch {
            #expect(OAuthError.Code.invalidGrant ~= error)
            #expect(await oauth.decision(after: error, failures: 1) == .signOut)
        }
    }

    @Test func signingOutRevokesTheTokens() async throws {
        let (oauth, token) = try await signedIn()
        let session = TokenAuthenticator(oauth)
        try await session.signIn(token)
        let client = client(session)
        try await client.signOut()
        #expect(session.token == nil)
        // Neither token is of use any more.
        let response = try await self.client().send(
            HTTPRequest(url: base.appending(path: "data"), headers: ["Authorization": "Bearer \(token.value)"]))
        #expect(response.status == .unauthorized)
        let context = AuthenticationContext(client: self.client())
        await #expect { try await oauth.token(replacing: token, context: context) } throws: {
            OAuthError.Code.invalidGrant ~= $0
        }
    }

    @Test func scopeThatIsMissingIsNotRefreshed() async throws {
        let (_, token) = try await signedIn()
        let response = try await client().send(
            HTTPRequest(url: base.appending(path: "written"), headers: ["Authorization": "Bearer \(token.value)"]))
        #expect(response.status == .forbidden)
        #expect(TokenRejection.of(response) != .invalidToken)
    }

    @Test func passwordIsAccepted() async throws {
        let context = AuthenticationContext(client: client())
        let right = oauth(.password(user: "ada", password: "pässword &=+", scopes: ["read"]), client: Self.service)
        #expect(try await right.token(replacing: nil, context: context).scopes == ["read"])
        let wrong = oauth(.password(user: "ada", password: "x"), client: Self.service)
        await #expect(throws: OAuthError.self) { try await wrong.token(replacing: nil, context: context) }
    }

    @Test func wrongSecretIsTyped() async throws {
        let context = AuthenticationContext(client: client())
        let wrong = oauth(.clientCredentials(), client: OAuthClient(id: "service", secret: "wrong-secret"))
        do {
            _ = try await wrong.token(replacing: nil, context: context)
            Issue.record("a wrong secret was accepted")
        } catch {
            #expect(OAuthError.Code.invalidClient ~= error)
            #expect(!"\(error)".contains("wrong-secret"))
            #expect(await wrong.decision(after: error, failures: 1) == .giveUp)
        }
    }

    /// The server responds with `authorization_pending`, with `slow_down`, and with the token.
    @Test func deviceWaitsForTheUser() async throws {
        let clock = ManualClock()
        let shown = Mutex<DeviceAuthorization?>(nil)
        let oauth = oauth(
            .device(at: base.appending(path: "device_authorization"), scopes: ["read"]) { codes in
                shown.withLock { $0 = codes }
            }, client: OAuthClient(id: "app"))
        let context = AuthenticationContext(client: client(clock: clock))
        let task = Task { try await oauth.token(replacing: nil, context: context) }
        for seconds in [5, 5, 10] {
            await clock.sleepers()
            clock.advance(by: .seconds(seconds))
        }
        #expect(try await task.value.scopes == ["read"])
        #expect(shown.withLock { $0 }?.userCode.isEmpty == false)
    }
}
