import Foundation
import LoopbackServer
import Tango
import TangoAuth
import TangoCookies
import Testing

@testable import TestSupport

/// The recipes of the page "Signing in and staying safe".
@Suite(.timeLimit(.minutes(20)))
struct CookbookSecuritySnippets: CookbookPage {
    let server: LoopbackServer
    private let files = ScratchFiles()
    private var file: URL { files.url.appendingPathComponent("token") }

    init() throws {
        server = try LoopbackServer()
        server.answer("/users/1") { request in
            request.headers["Authorization"] == "Bearer new"
                ? Cookbook.ada() : Response.status(401).header("WWW-Authenticate", "Bearer")
        }
        server.answer("/token", method: "POST", with: .json(#"{"access_token": "new", "refresh_token": "r2"}"#))
    }

    @Test func basic() async throws {
        server.answer("/private") { request in .text(request.headers["Authorization"] ?? "none") }
        let api = Client(baseURL: url) { $0.headers = .basicAuthorization(user: "ada", password: "secret") }
        #expect(try await api.get("/private", as: String.self).value == "Basic YWRhOnNlY3JldA==")
    }

    @Test func refreshing() async throws {
        let (tokenURL, refreshToken) = (server.url("/token"), "r1")
        let oauth = OAuth2(tokenURL: tokenURL, client: OAuthClient(id: "app"), grant: .refreshToken(refreshToken))
        let session = TokenAuthenticator(oauth, store: .file(file))
        let api = Client(baseURL: url) { $0.authenticator = session }
        let users = Promise.all(1...50, limit: 50) { _ in api.get("/users/1", as: User.self) }
        #expect(try await users.value.count == 50)
        #expect(server.requests.count { $0.path == "/token" } == 1)
    }

    struct Login: TokenSource {
        let loginURL: URL
        func token(replacing old: Token?, context: AuthenticationContext) async throws -> Token {
            let request = HTTPRequest(method: .post, url: loginURL, body: .json(["key": "secret"]))
            let reply = try await JSONDecoder().decode(Reply.self, from: context.send(request).body)
            return Token(reply.jwt, expires: reply.expires)
        }
    }

    struct Reply: Codable { let jwt: String, expires: Date? }

    @Test func ownTokens() async throws {
        server.answer("/login", method: "POST", with: .json(#"{"jwt": "new"}"#))
        let loginURL = server.url("/login")
        let api = Client(baseURL: url) { $0.authenticator = TokenAuthenticator(Login(loginURL: loginURL)) }
        #expect(try await api.get("/users/1", as: User.self).value.name == "Ada")
        #expect(server.requests.map(\.path) == ["/login", "/users/1"])
    }

    @Test func encryptedTokens() async throws {
        let key = Data((0..<32).map { _ in UInt8.random(in: 0...255) })  // in an app, from the Keychain
        let oauth = OAuth2(tokenURL: server.url("/token"), client: OAuthClient(id: "app"), grant: .refreshToken("r1"))
        let session = TokenAuthenticator(oauth, store: .encryptedFile(file, key: key))
        let api = Client(baseURL: url) { $0.authenticator = session }
        #expect(try await api.get("/users/1", as: User.self).value.name == "Ada")
        await api.shutdown()
        let stored = try Data(contentsOf: file)
        #expect(!stored.isEmpty)
        #expect(stored.range(of: Data("new".utf8)) == nil)
    }

    @Test func signingOut() async throws {
        let session = TokenAuthenticator(Login(loginURL: server.url("/login")), store: .file(file))
        let jar = CookieJar()
        let api = Client(baseURL: url, cache: MemoryStore()) {
            $0.authenticator = session
            $0.cookies = .jar(jar)
        }
        try await session.signIn(Token("new"))
        try jar.set(Cookie("theme", "dark", domain: "127.0.0.1"))
        #expect(try await api.get("/users/1", as: User.self).value.name == "Ada")
        try await api.signOut()  // tokens, cookies, calls in flight, cached responses, partial files
        #expect(session.token == nil)
        #expect(jar.cookies.isEmpty)
    }

    @Test func keys() async throws {
        let other = try LoopbackServer()
        for each in [server, other] { each.answer("/key") { request in .text(request.headers["X-Api-Key"] ?? "none") } }
        let api = Client(baseURL: url) { $0.headers["X-Api-Key"] = "secret" }
        let own = try await api.get("/key", as: String.self).value
        let elsewhere = try await api.get("\(other.url("/key"))", as: String.self).value
        #expect(own == "secret")
        #expect(elsewhere == "none")  // another origin does not get the key
    }

    @Test func cookies() async throws {
        server.answer("/login", method: "POST", with: Response.status(204).header("Set-Cookie", "session=1"))
        server.answer("/me") { request in .text(request.headers["Cookie"] ?? "none") }
        let api = Client(baseURL: url) { $0.cookies = .jar }
        try await api.post("/login", as: Void.self).value
        #expect(try await api.get("/me", as: String.self).value == "session=1")
    }

    /// The keys are those of no server, so that no connection is made: see the tests of pins over TLS.
    @Test func pins() {
        let current = Data(count: 32).base64EncodedString()
        let next = Data(repeating: 1, count: 32).base64EncodedString()
        let pinned = Client(baseURL: url) {
            $0.trust = .hosts(["api.example.com": .pins(["sha256/\(current)"], backups: ["sha256/\(next)"])])
        }
        #expect(pinned.configuration.trust.problem == nil)
        #expect(pinned.configuration.trust.rules(for: "api.example.com").pins.count == 2)
        #expect(pinned.configuration.trust.rules(for: "example.com").pins.isEmpty)
    }

    @Test func secretsInLogs() async throws {
        server.answer("/search", with: .text("found"))
        let lines = Facts()
        @Sendable func print(_ line: String) { lines.note(line) }
        let api = Client(baseURL: url) {
            $0.redaction.add(headers: ["X-Customer"], queryItems: ["code"], fields: ["iban"])
            $0.log = CallLog(.headers) { entry in print(entry.text) }
        }
        _ = try await api.get("/search", query: ["code": "DE77", "page": 1], as: String.self).value
        #expect(!lines.all.joined().contains("DE77"))
        #expect(lines.all.joined().contains("page=1"))
    }
}
