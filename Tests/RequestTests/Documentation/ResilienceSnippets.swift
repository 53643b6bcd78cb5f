import Foundation
import LoopbackServer
import Tango
import Testing

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
        server.answer("/a", with: .text("a"))
        let call = worker.request(.get("/a"), as: String.self)
        #expect(try await call.value == "a")
    }

    @Test func closures() {
        let policy = RetryPolicy.custom { attempt in
            attempt.number < 10 && attempt.response?.status == 409 ? .seconds(1) : nil
        }
        #expect(policy == policy)
    }

    @Test func decisions() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.answer("/a", with: .text("a"))
        final class GetText: Request<String> {
            let owner: Client
            init(_ owner: Client) { self.owner = owner }
            override var client: Client { owner }
            override var endpoint: Endpoint { .get("/a") }
        }
        let call = GetText(Client(baseURL: server.url)).start()
        _ = try await call.value
        var lines: [String] = []
        func print(_ number: Int, _ cause: Attempt.Cause, _ reason: any CustomStringConvertible) {
            lines.append("\(number) \(cause) \(reason)")
        }
        for attempt in call.attempts {
            print(attempt.number, attempt.cause, attempt.retry?.reason ?? "done")
        }
        #expect(lines == ["1 first done"])
    }
}
