import Foundation
import Synchronization
import TangoAuth
import TangoPromise
import TangoRequest
import TangoTesting
import Testing

@testable import TestSupport

/// The code of "Signing in", and of the types that it shows.
@Suite(.timeLimit(.minutes(20)))
struct SigningInSnippets {
    private let texts = Texts()

    private func show(_ text: String) { texts.add(text) }
    private func open(_ url: URL) { texts.add(url.absoluteString) }

    @Test func sessions() {
        let folder = FileManager.default.temporaryDirectory
        let session = TokenAuthenticator(
            OAuth2(
                tokenURL: URL(string: "https://login.example.com/token")!,
                client: .init(id: "app", secret: "…"), grant: .clientCredentials(scopes: ["read"])),
            store: .file(folder.appending(path: "token.json")))
        let api = Client(baseURL: URL(string: "https://api.example.com")) { $0.authenticator = session }
        #expect(api.configuration.authenticator != nil)
    }

    @Test func stores() {
        let folder = FileManager.default.temporaryDirectory
        let key = Data(count: 32)
        let oauth = OAuth2(
            tokenURL: folder, client: OAuthClient(id: "app"), grant: .refreshToken)
        do {
            let session = TokenAuthenticator(oauth, store: .memory)
            #expect(session.token == nil)
        }
        do {
            let session = TokenAuthenticator(oauth, store: .file(folder.appending(path: "token.json")))
            #expect("\(session)".contains("no token"))
        }
        do {
            let session = TokenAuthenticator(oauth, store: .encryptedFile(folder.appending(path: "token"), key: key))
            #expect("\(session)".contains("no token"))
        }
    }

    @Test func browser() async throws {
        let oauth = OAuth2(
            tokenURL: URL(string: "https://login.example.com/token")!, client: OAuthClient(id: "app"),
            grant: .authorizationCode(
                at: URL(string: "https://login.example.com/authorize")!,
                redirectURL: URL(string: "com.example.app:/signed-in")!, scopes: ["read", "offline_access"]))

        let request = try oauth.authorizationRequest()
        open(request.url)

        let address = try #require(texts.all.first)
        let fields = Query(parsing: address.split(separator: "?").last ?? "")
        guard case .text(let state)? = fields["state"] else { throw CancellationError() }
        let callback = try #require(URL(string: "com.example.app:/signed-in?code=c&state=\(state)"))
        let login = MockTransport()
        login.stub(.post, "/token", .json(["access_token": "a"]))
        let api = Client { $0.transport = login }
        let session = TokenAuthenticator(oauth)
        do {
            let token = try await oauth.token(for: request, callback: callback, client: api)
            try await session.signIn(token)
        }
        #expect(session.token?.value == "a")

        let denied = try #require(URL(string: "com.example.app:/signed-in?error=access_denied&state=\(state)"))
        func finish(_ callback: URL) async throws {
            var token: Token?
            do {
                token = try await oauth.token(for: request, callback: callback, client: api)
            } catch OAuthError.Code.accessDenied {
                show("You can sign in at any time.")
            }
            #expect(token == nil)
        }
        try await finish(denied)
        #expect(texts.all.last == "You can sign in at any time.")
    }

    @Test func passwords() async throws {
        let (name, password) = ("ada", "wrong")
        let tokenURL = try #require(URL(string: "https://login.example.com/token"))
        let folder = FileManager.default.temporaryDirectory.appending(path: "tango-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let login = MockTransport()
        login.stub(where: { _ in true }, .made { _ in .json(["error": "invalid_grant"]) }, .json(["access_token": "a"]))
        let api = Client { $0.transport = login }
        do {
            let oauth = OAuth2(tokenURL: tokenURL, client: OAuthClient(id: "app"), grant: .refreshToken)
            let session = TokenAuthenticator(oauth, store: .file(folder.appending(path: "token.json")))
            do {
                do {
                    let token = try await oauth.token(user: name, password: password, client: api)
                    try await session.signIn(token)
                } catch OAuthError.Code.invalidGrant {
                    show("The name or the password is wrong.")
                }
            }
            #expect(texts.all == ["The name or the password is wrong."])
            do {
                let token = try await oauth.token(user: name, password: password, client: api)
                try await session.signIn(token)
            }
            #expect(session.token?.value == "a")
            do {
                func logIn() async throws -> Token { Token("b") }
                try await api.signOut()
                let token = try await logIn()  // your request, whose response may set cookies
                try await session.signIn(token)
                #expect(session.token?.value == "b")
            }
            let signOuts = Task { [texts] in
                func showSignIn(_ cause: SignOutCause) { texts.add("\(cause)") }
                for await cause in session.signOuts { showSignIn(cause) }
            }
            signOuts.cancel()
            await signOuts.value
        }
    }

    @Test func functionsOfTheUser() {
        let authorizationURL = URL(filePath: "/")
        let redirectURL = URL(filePath: "/")
        let tokenURL = URL(filePath: "/")
        let deviceURL = URL(filePath: "/")
        let browser = Browser()
        let waiting = OAuth2.Grant.authorizationCode(at: authorizationURL, redirectURL: redirectURL) { url in
            try await browser.callback(of: url)
        }
        #expect("\(waiting)" == "authorization code")

        let show: @Sendable (String) -> Void = { [texts] in texts.add($0) }
        let television = OAuth2(
            tokenURL: tokenURL, client: OAuthClient(id: "tv"),
            grant: .device(at: deviceURL) { codes in
                show("Open \(codes.verificationURL) and enter \(codes.userCode)")
            })
        #expect("\(television)".contains("device code"))
    }
}

private struct Browser {
    func callback(of url: URL) async throws -> URL { url }
}

private final class Texts: Sendable {
    private let texts = Mutex<[String]>([])
    var all: [String] { texts.withLock { $0 } }
    func add(_ text: String) { texts.withLock { $0.append(text) } }
}
