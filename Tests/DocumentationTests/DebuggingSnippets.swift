import Foundation
import LoopbackServer
import Tango
import TangoMeasuring
import Testing

@testable import TestSupport

final class ResetPassword: Request<Void> {
    let code: String
    init(code: String) { self.code = code }
    override var endpoint: Endpoint { .post("/reset/\(code)").redacting(code) }
}

/// The code of the article on debugging.
struct DebuggingSnippets {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.answer(with: .text("ok"))
    }

    @Test func levels() async throws {
        let url = server.url
        do {
            let api = Client(baseURL: url) { $0.log = .line }
            #expect(api.configuration.log.level == .line)
        }
        do {
            let api = Client(baseURL: url) {
                $0.log = CallLog(.headers, bodyLimit: 500) { entry in print(entry) }
            }
            #expect(try await api.get("/a", as: String.self).value == "ok")
        }
        server.stop()
    }

    @Test func commandsAndExplanations() async throws {
        final class GetUser: Request<String> {
            let id: Int
            let owner: Client
            init(id: Int, of owner: Client) {
                self.id = id
                self.owner = owner
            }
            override var client: Client { owner }
            override var endpoint: Endpoint { .get("/users/\(id)") }
        }
        let client = Client(baseURL: server.url) { $0.userAgent = "Shop/2.1" }
        func GetUser(id: Int) -> GetUser { .init(id: id, of: client) }
        let call = GetUser(id: 1).start()
        _ = try await call.value
        print(call.curlCommand ?? "")
        print(try GetUser(id: 1).curlCommand())
        #expect(
            call.curlCommand
                == "curl --compressed \\\n  --header 'User-Agent: Shop/2.1' \\\n  '\(server.url("/users/1"))'")
        print(call.explanation.map { "\($0)" } ?? "nothing to explain")
        for attempt in call.attempts { print(attempt.cause, attempt.request, attempt.response?.status as Any) }
        for call in Client.allActive { print(call) }
        server.stop()
    }

    @Test func redaction() throws {
        let url = server.url
        let api = Client(baseURL: url) {
            $0.redaction.add(headers: ["X-Tenant"], queryItems: ["invitation"], fields: ["date of birth"])
            $0.redaction.add(secrets: ["the-key-of-the-app"])
        }
        #expect(api.configuration.redaction.hides(header: "x-tenant"))
        #expect("\(ResetPassword(code: "1a2b").endpoint)" == "POST /reset/…")
        server.stop()
    }

    @Test func redactionInDocComments() {
        var redaction = Redaction.standard
        redaction.add(headers: ["X-Tenant"], queryItems: ["invitation"], fields: ["card number"])
        #expect(redaction.hides(field: "cardNumber"))
        let code = "1a2b"
        let reset = Endpoint.post("/reset/\(code)").redacting(code)
        #expect("\(reset)" == "POST /reset/…")
        let context = TraceContext()
        print(context.traceparent)  // such as 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
    }

    @Test func logInDocComments() throws {
        let url = server.url
        do {
            let api = Client(baseURL: url) { $0.log = .line }
            #expect(api.configuration.log.level < .headers)
        }
        let api = Client(baseURL: url) {
            $0.log = CallLog(.headers) { entry in print(entry) }
        }
        #expect(api.configuration.log.bodyLimit == 2_000)
        enum Tracing {
            static let current = TraceContext()
        }
        let traced = Client(baseURL: url) {
            $0.attemptInterceptors = [TraceInterceptor { Tracing.current }]
        }
        #expect(traced.configuration.attemptInterceptors.count == 1)
        for call in Client.allActive { print(call) }  // such as: call 7, GET /users/1, running
        server.stop()
    }
}
