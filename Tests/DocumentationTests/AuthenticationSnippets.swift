import Foundation
import LoopbackServer
import Tango
import TangoAuth
import Testing

@testable import TestSupport

/// The code of the articles on refreshing tokens and signing out, and of the comments on authenticators.
@Suite(.timeLimit(.minutes(20)))
struct AuthenticationSnippets {
    struct Backend: TokenSource {
        let url: URL

        func token(replacing old: Token?, context: AuthenticationContext) async throws -> Token {
            guard let refreshToken = old?.refreshToken else { throw RequestError.signInRequired }
            let request = HTTPRequest(
                method: .post, url: url, headers: ["Accept": "application/json"], body: .form(["refresh": refreshToken])
            )
            let response = try await context.send(request)
            guard response.status == .ok else { throw RequestError.signInRequired }
            struct Answer: Decodable { let access: String, refresh: String, lifetime: Double }
            let answer = try JSONDecoder().decode(Answer.self, from: response.body)
            return Token(
                answer.access, refreshToken: answer.refresh, expires: context.now.addingTimeInterval(answer.lifetime))
        }
    }

    @Test func refreshing() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.answer("/token", with: .json(#"{"access": "second", "refresh": "r2", "lifetime": 3600}"#))
        server.answer("/me") { request in
            request.headers["Authorization"] == "Bearer second" ? .json(#"{"id": 1}"#) : .status(401)
        }
        let url = server.url
        let tokenURL = server.url("/token")
        let folder = FileManager.default.temporaryDirectory.appending(path: "tango-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let session = TokenAuthenticator(Backend(url: tokenURL), store: .file(folder.appending(path: "token.json")))
        let api = Client(baseURL: url) { $0.authenticator = session }
        try await session.signIn(Token("first", refreshToken: "r1"))  // after your sign-in screen
        struct Me: Decodable { let id: Int }
        #expect(try await api.get("/me", as: Me.self).value.id == 1)
        #expect(server.requests.map(\.path) == ["/me", "/token", "/me"])
        #expect(server.requests[1].text == "refresh=r1")
        #expect(session.token?.refreshToken == "r2")
        try await api.signOut()
        #expect(session.token == nil)
    }

    @Test func services() async throws {
        let url = URL(string: "https://api.example.com")
        let (admin, session, key) = (FixedAuthenticator(), FixedAuthenticator(), "a")
        do {
            let client = Client(baseURL: url) {
                $0.authenticator = .services([
                    "https://api.example.com/admin/*": admin,
                    "https://api.example.com": session,
                ])
            }
            #expect(client.configuration.authenticator != nil)
        }
        let client = Client(baseURL: url) {
            $0.authenticator = .services([
                "https://api.example.com/admin/*": admin,
                "https://api.example.com": session,
                "https://*.files.example.com": .bearer(key),
            ])
        }
        #expect(client.configuration.authenticator?.problem == nil)
    }

    struct RegionalTokens: TokenSource {
        let url: URL

        func token(replacing old: Token?, context: AuthenticationContext) async throws -> Token {
            guard let host = context.request?.url.host() else { throw RequestError.signInRequired }
            let request = HTTPRequest(method: .post, url: url, body: .form(["audience": host]))
            let response = try await context.send(request)
            return Token(String(decoding: response.body, as: UTF8.self))
        }
    }

    @Test func regions() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.answer("/token") { request in .text("token for \(request.text)") }
        let (url, tokenURL) = (URL(string: "https://api.example.com"), server.url("/token"))
        let source = RegionalTokens(url: tokenURL)
        let client = Client(baseURL: url) {
            $0.authenticator = .services([
                "https://eu.example.com": TokenAuthenticator(source),
                "https://us.example.com": TokenAuthenticator(source),
            ])
        }
        #expect(client.configuration.authenticator?.problem == nil)
        let request = HTTPRequest(url: try #require(URL(string: "https://eu.example.com/a")))
        let context = AuthenticationContext(client: client, request: request)
        let token = try await source.token(replacing: nil, context: context)
        #expect(token.value == "token for audience=eu.example.com")
    }

    @Test func partners() throws {
        let partners = ServicePattern.matching { url in
            url.scheme == "https" && url.host()?.hasSuffix(".partner.example.com") == true
        }
        #expect(partners.matches(try #require(URL(string: "https://a.partner.example.com/b"))))
        #expect(!partners.matches(try #require(URL(string: "http://a.partner.example.com/b"))))
    }

    @Test func identities() async throws {
        let url = URL(string: "https://api.example.com")
        let (session, id) = (FixedAuthenticator(), 1)
        let api = Client(baseURL: url, cache: .shared) {
            $0.authenticator = session
            $0.identity = "user-\(id)"
        }
        #expect(api.configuration.identity == "user-1")
    }

    private struct FixedAuthenticator: Authenticator {
        func authorize(_ request: HTTPRequest, context: AuthenticationContext) -> Authorization { .ready(request) }
    }
}
