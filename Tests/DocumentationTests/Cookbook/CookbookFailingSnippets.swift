import Foundation
import LoopbackServer
import Tango
import TangoTesting
import Testing

@testable import TestSupport

/// The recipes of the page "When requests fail".
@Suite(.timeLimit(.minutes(20)))
struct CookbookFailingSnippets: CookbookPage {
    let server: LoopbackServer
    private let shown = Facts()
    typealias Request = Cookbook.Request

    private func show(_ text: String) { shown.note(text) }

    init() throws {
        server = try LoopbackServer()
        server.answer("/users/*", with: Cookbook.ada())
    }

    @Test func retries() async throws {
        server.enqueue(.status(503), .status(503))
        let api = Client(baseURL: url) {
            $0.retryPolicy = .exponential(attempts: 5, base: .milliseconds(200), cap: .seconds(10))
        }
        #expect(try await api.get("/users/1", as: User.self).value.name == "Ada")
        #expect(server.requestCount == 3)
    }

    final class Pay: Request<Receipt> {
        let cents: Int
        init(cents: Int) { self.cents = cents }
        override var endpoint: Endpoint { .post("/payments", body: .json(["cents": cents])) }
        override var retryPolicy: RetryPolicy { .standard.withIdempotencyKey() }
    }

    struct Receipt: Codable, Sendable { let id: Int }

    @Test func payments() async throws {
        server.answer("/payments", method: "POST", with: .json(#"{"id": 9}"#))
        server.enqueue(.status(503))
        try await with(api) {
            let receipt = try await Pay(cents: 1250).promise.value
            #expect(receipt.id == 9)
        }
        let keys = server.requests.map { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 2)
        #expect(keys[0] != nil && keys[0] == keys[1])
    }

    @Test func ownRetries() async throws {
        server.enqueue(.json(#"{"state": "warming up"}"#, status: 409), .json(#"{"state": "warming up"}"#, status: 409))
        let policy = RetryPolicy.custom { failed in
            failed.response?.status == 409 && failed.number < 5 ? .milliseconds(10) : nil
        }
        let api = Client(baseURL: url) { $0.retryPolicy = policy }
        #expect(try await api.get("/users/1", as: User.self).value.name == "Ada")
        #expect(server.requestCount == 3)
    }

    struct Problem: Codable, Sendable { let field: String, reason: String }

    @Test func errorBodies() async throws {
        server.answer("/users", method: "POST", with: .json(#"{"field": "name", "reason": "is taken"}"#, status: 422))
        let api = Client(baseURL: url) { $0.errorSerializer = .json(Problem.self) { problem in problem.reason } }
        do {
            _ = try await api.post("/users", body: .json(["name": "Ada"]), as: User.self).value
        } catch let error as RequestError {
            if let problem = error.payload(as: Problem.self) { show("\(problem.field) \(problem.reason)") }
        }
        #expect(shown.all == ["name is taken"])
    }

    @Test func messages() async throws {
        server.answer("/users/1", with: .status(404))
        do {
            show(try await api.get("/users/1", as: User.self).value.name)
        } catch RequestError.Code.offline {
            show("You are offline.")
        } catch let error as RequestError {
            show(error.message)  // a sentence for the user, in the user's language
        }
        #expect(shown.all == ["What you are looking for does not exist."])
    }

    @Test func businessErrors() async throws {
        server.answer("/order", with: .json(#"{"code": 17, "message": "Out of stock", "data": null}"#))
        let api = Client(baseURL: url) {
            $0.validation = .default + .business(code: "code", success: [0], message: "message")
        }
        let error = try await failure { try await api.get("/order", as: Data.self).value }
        #expect(error.code == .business)
        #expect(error.businessCode == "17")
        #expect(error.message == "Out of stock")
    }

    @Test func wholeOperation() async throws {
        let gate = Gate()
        server.answer("/posts", with: .json("[]").held(by: gate))
        let clock = ManualClock()
        let api = api
        let posts = api.get("/users/1", as: User.self)
            .flatMap { user in api.get("/posts", query: ["author": user.id], as: [Post].self) }
            .timeout(.seconds(10), clock: clock)
        try await gate.reached()
        clock.advance(by: .seconds(10))
        await #expect(throws: PromiseError.timedOut) { try await posts.value }
    }

    @Test func fallBack() async throws {
        let other = try LoopbackServer()
        other.answer("/users/1", with: .json(#"{"id": 1, "name": "Backup"}"#))
        server.answer("/users/1", with: .status(500))
        let (api, backup) = (api, api.with(baseURL: other.url))
        let user = api.get("/users/1", as: User.self)
            .recover { _ in backup.get("/users/1") }
        #expect(try await user.value.name == "Backup")
    }

    @Test func mirrors() async throws {
        let other = try LoopbackServer()
        let gate = Gate()
        server.answer("/list", with: .text("slow").held(by: gate))
        other.answer("/list", with: .text("fast"))
        let mirrors = [api, api.with(baseURL: other.url)]
        let list = Promise.any(mirrors.map { mirror in mirror.get("/list", as: String.self) })
        let fastest = try await list.value  // the slower request is cancelled
        #expect(fastest == "fast")
        let slow = try await server.next()
        #expect(try await server.connectionEnded(slow.connection) == .closedByClient)
    }

    @Test func waitingForANetwork() async throws {
        let network = ScriptedConnectivity(.unavailable)
        let mock = MockTransport()
        mock.stub(.get, "/users/1", .json(["id": 1, "name": "Ada"]))
        let clock = ManualClock()
        let url = URL(string: "https://api.example.com")
        let api = Client(baseURL: url) { $0.waitsForConnectivity = .seconds(60) }
        let scripted = api.with { ($0.connectivity, $0.transport, $0.clock) = (network, mock, clock) }
        let call = Fetch<User>(.get("/users/1"), of: scripted).start()
        for await state in call.states where state == .waitingForConnectivity { break }
        network.status = .available
        #expect(try await call.value.name == "Ada")
    }

    @Test func partialSuccess() async throws {
        server.answer("/users/2", with: .status(404))
        try await with(api) {
            let results = try await Promise.allSettled([1, 2, 3].map { id in GetUser(id: id).promise }).value
            let users = results.compactMap { result in try? result.get() }
            show("\(users.count) of \(results.count)")
        }
        #expect(shown.all == ["2 of 3"])
    }
}
