import Foundation
import LoopbackServer
import Tango
import TangoTesting
import Testing

@testable import TestSupport

/// The code of the article on resilience.
struct ResilienceSnippets {
    struct Order: Codable, Sendable {
        var id = 1
    }

    @Test func policies() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        final class GetReport: Request<Data> {
            override var endpoint: Endpoint { .get("/report") }
            override var retryPolicy: RetryPolicy { .standard }
        }
        final class PlaceOrder: Request<Order> {
            override var endpoint: Endpoint { .post("/orders") }
            override var retryPolicy: RetryPolicy { .standard.withIdempotencyKey() }
        }
        #expect(GetReport().retryPolicy == .standard)
        #expect(PlaceOrder().retryPolicy == .standard.withIdempotencyKey())

        let url = server.url
        let worker = Client(baseURL: url) {
            $0.retryPolicy = .exponential(attempts: 5)
            $0.retryBudget = RetryBudget(burst: 100, perSecond: 20)
        }
        do {
            let budget = RetryBudget(burst: 20)
            let api = Client(baseURL: url) { $0.retryBudget = budget }
            let images = Client(baseURL: url) { $0.retryBudget = budget }
            #expect(api.configuration.retryBudget === images.configuration.retryBudget)
        }
        final class SendReport: Request<Void> {
            static let budget = RetryBudget(burst: 50)
            override var endpoint: Endpoint { .put("/report") }
            override var retryBudget: RetryBudget { Self.budget }
        }
        #expect(SendReport().retryBudget === SendReport.budget)
        server.answer("/a", with: .text("a"))
        let call = worker.request(.get("/a"), as: String.self)
        #expect(try await call.value == "a")
    }

    @Test func kindsOfNetworks() {
        let api = Client()
        let saving = api.with { $0.networks = [.cellular, .expensive] }  // nothing in Low Data Mode
        #expect(!saving.configuration.networks.contains(.constrained))
        final class SendBackup: Request<Void> {
            override var endpoint: Endpoint { .put("/backup") }
            override var networks: NetworkKinds { [] }
        }
        #expect(SendBackup().networks == [])
    }

    @Test func waitingForANetwork() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.answer("/a", with: .text("a"))
        let url = server.url
        do {
            let client = Client(baseURL: url) { $0.waitsForConnectivity = .seconds(60) }
            #expect(try await client.get("/a", as: String.self).value == "a")
        }
        struct ToServer: Interceptor {
            let url: URL
            func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
                var request = request
                request.url = url
                return try await next(request)
            }
        }
        let remote = try #require(URL(string: "http://api.example.com"))
        func make(_ url: URL) -> (ScriptedConnectivity, Client) {
            let network = ScriptedConnectivity(.unavailable)
            let client = Client(baseURL: url) {
                $0.connectivity = network
                $0.waitsForConnectivity = .seconds(30)
            }
            return (network, client)
        }
        let (network, scripted) = make(remote)
        let client = scripted.with { $0.attemptInterceptors = [ToServer(url: server.url("/a"))] }
        let promise = client.get("/a", as: String.self)
        while network.observerCount == 0 { await Task.yield() }
        network.status = .available
        #expect(try await promise.value == "a")
    }

    @Test func closures() {
        let policy = RetryPolicy.custom { attempt in
            attempt.number < 10 && attempt.response?.status == 409 ? .seconds(1) : nil
        }
        #expect(policy == policy)
    }

    @Test func explanations() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.enqueue(.status(503), Response.status(503).header("Retry-After", "100"))
        final class GetText: Request<String> {
            let owner: Client
            init(_ owner: Client) { self.owner = owner }
            override var client: Client { owner }
            override var endpoint: Endpoint { .get("/a") }
        }
        let client = Client(baseURL: server.url) {
            $0.retryPolicy = .standard
            $0.random = { 0.8 }
        }
        let call = GetText(client).start()
        _ = try? await call.value
        var printed = ""
        func print(_ explanation: CallExplanation) { printed = explanation.description }
        if let explanation = call.explanation { print(explanation) }
        #expect(
            printed == """
                attempt 1 was followed by another one after 200 ms: the failure may be gone with the next attempt
                attempt 2 was the last one: the server asks for a longer wait than the policy allows
                """)
    }

    @Test func limits() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.answer("/a", with: .text("a"))
        let url = server.url
        let limiter = Limiter(total: 64, perHost: 6)
        let client = Client(baseURL: url) { $0.limiter = limiter }
        limiter.perHost = 2
        #expect(try await client.request(.get("/a"), as: String.self).value == "a")
        #expect(limiter.perHost == 2)
    }

    @Test func redirects() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.answer("/short/link", with: .redirect(to: "/long"))
        final class FindShortLink: Request<HTTPResponse> {
            override var endpoint: Endpoint { .get("/short/link") }
            override var redirectPolicy: RedirectPolicy { .refuse }
        }
        #expect(FindShortLink().redirectPolicy == .refuse)
        let policy = RedirectPolicy.custom { redirect in
            redirect.request.url.host == "example.com" ? redirect.request : nil
        }
        let client = Client(baseURL: server.url) { $0.redirectPolicy = policy }
        let response = try await client.request(.get("/short/link"), as: HTTPResponse.self).value
        #expect(response.headers["Location"] == "/long")
    }
}
