import Foundation
import LoopbackServer
import TangoAuth
import TangoCache
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// The header `User-Agent` of the requests of a client.
@Suite(.timeLimit(.minutes(20))) struct UserAgentTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.answer(with: .text("a"))
    }

    private func client(
        cache: (any CacheStore)? = nil, baseURL: URL? = nil, _ change: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        Client(baseURL: baseURL ?? server.url, cache: cache) {
            $0.timeouts = .patient
            change(&$0)
        }
    }

    /// The values of the header in the last request that the server has received.
    private var received: [String] { server.requests.last?.headers.all("User-Agent") ?? [] }

    @Test(arguments: [
        ("Shop", "2.1", "iOS 18.1.0", "Shop/2.1 Tango/0.1.0 (iOS 18.1.0)"),
        ("tool", nil, "Linux", "tool Tango/0.1.0 (Linux)"),
        ("Café & Bar (β)", "1 0", "Linux", "Caf-&-Bar/1-0 Tango/0.1.0 (Linux)"),
        ("東京", nil, "Linux", "Tango/0.1.0 (Linux)"), ("a\r\nX: 1", "", "Linux", "a-X-1 Tango/0.1.0 (Linux)"),
    ])
    func standardNamesApplicationLibraryAndSystem(name: String, version: String?, system: String, value: String) {
        #expect(UserAgent.make(name: name, version: version, system: system) == value)
    }

    @Test(arguments: TransportUnderTest.all)
    func everyTransportSendsIt(kind: TransportUnderTest) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("a"))
            let client = Client(baseURL: server.url) { $0.transport = transport }
            _ = try await client.get("/a", as: String.self).value
            _ = try await client.with { $0.userAgent = nil }.get("/a", as: String.self).value
            let values = server.requests.map { $0.headers.all("User-Agent") }
            #expect(values.first == [UserAgent.standard])
            // URLSession sends an empty value instead of its own.
            #expect(values.last?.allSatisfy { $0.trimmingCharacters(in: .whitespaces).isEmpty } == true)
        }
    }

    @Test func headerOfTheClientOrOfTheRequestWins() async throws {
        let client = client {
            $0.headers = ["user-agent": "client", "X-A": "1"]
            $0.userAgent = "setting"
        }
        _ = try await client.get("/a", as: String.self).value
        #expect(received == ["client"])
        let other = client.with { $0.headers = ["X-A": "1"] }
        _ = try await Fetch<String>(.get("/a"), of: other).promise.value
        #expect(received == ["setting"])
        #expect(server.requests.last?.headers["X-A"] == "1")
        let request = Fetch<String>(.get("/a"), of: other)
        request.fields = ["User-agent": "request"]
        _ = try await request.promise.value
        #expect(received == ["request"])
    }

    @Test func otherOriginsGetItToo() async throws {
        let client = client(baseURL: URL(string: "https://api.example.com")) { $0.userAgent = "Shop/1" }
        _ = try await client.get("\(server.url)/a", as: String.self).value
        #expect(received == ["Shop/1"])
    }

    @Test func messageOfTheUserIsSentAsItIs() async throws {
        _ = try await client().send(HTTPRequest(url: server.url))
        #expect(received.isEmpty)
    }

    @Test func requestForATokenHasIt() async throws {
        server.answer("/token", with: .json(#"{"access_token":"t","token_type":"Bearer"}"#))
        let grant = OAuth2(
            tokenURL: server.url("/token"), client: OAuthClient(id: "a", secret: "b"), grant: .clientCredentials())
        let client = client {
            $0.authenticator = TokenAuthenticator(grant)
            $0.userAgent = "Shop/1"
        }
        _ = try await client.get("/a", as: String.self).value
        #expect(server.requests.map { $0.headers["User-Agent"] } == ["Shop/1", "Shop/1"])
        #expect(server.requests.map { $0.headers["Authorization"] != nil } == [true, true])
    }

    @Test func redirectsAndRetriesKeepIt() async throws {
        server.enqueue(.redirect(to: "/new"), .status(503), .text("b"))
        let client = client {
            $0.userAgent = "Shop/1"
            $0.retryPolicy = .exponential(attempts: 2, base: .zero)
        }
        #expect(try await client.get("/old", as: String.self).value == "b")
        #expect(server.requests.map { $0.headers["User-Agent"] } == ["Shop/1", "Shop/1", "Shop/1"])
    }

    @Test func cachedResponsesMayVaryByIt() async throws {
        server.answer("/v", with: .text("a").header("Vary", "User-Agent").header("Cache-Control", "max-age=60"))
        let first = client(cache: MemoryStore()) { $0.userAgent = "Shop/1" }
        let second = first.with { $0.userAgent = "Shop/2" }
        for client in [first, first, second, second] { _ = try await client.get("/v", as: String.self).value }
        #expect(server.requests.map { $0.headers["User-Agent"] } == ["Shop/1", "Shop/2"])
    }

    @Test(arguments: ["a\nX-Forged: 1", "a\0b", "a\rb"])
    func lineBreakIsRefusedBeforeAnythingIsSent(value: String) async throws {
        let client = client { $0.userAgent = value }
        let error = try #require(await refusal(of: client.get("/a", as: String.self)))
        #expect(error.code == .badHeader)
        #expect(error.detail.contains("User-Agent"))
        #expect(server.requests.isEmpty)
    }
}
