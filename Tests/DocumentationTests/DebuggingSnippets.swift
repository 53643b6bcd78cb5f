import Foundation
import LoopbackServer
import Synchronization
import Tango
import TangoMeasuring
import Testing

@testable import TestSupport

// Protocols and values of the shape that swift-log and OpenTelemetry have.

private struct Logger: Sendable {
    enum Level: Sendable {
        case trace, debug, info, notice, warning, error, critical
    }

    struct Message: ExpressibleByStringInterpolation, Sendable {
        let text: String
        init(stringLiteral text: String) { self.text = text }
    }

    enum MetadataValue: ExpressibleByStringInterpolation, Sendable, Equatable {
        case string(String)
        init(stringLiteral text: String) { self = .string(text) }
    }

    static let lines = Mutex<[(Level, String, [String: MetadataValue])]>([])

    init(label: String) {}

    func log(level: Level, _ message: Message, metadata: [String: MetadataValue]? = nil) {
        Self.lines.withLock { $0.append((level, message.text, metadata ?? [:])) }
    }
}

private enum OpenTelemetry {
    struct Identifier: Sendable {
        let hexString: String
    }

    struct Span: Sendable {
        let traceId: Identifier
        let spanId: Identifier
    }

    static let activeSpan: Span? = Span(
        traceId: Identifier(hexString: "4bf92f3577b34da6a3ce929d0e0e4736"),
        spanId: Identifier(hexString: "00f067aa0ba902b7"))
}

extension Logger.Level {
    init(_ severity: CallLog.Entry.Severity) {
        switch severity {
        case .info: self = .info
        case .warning: self = .warning
        case .error: self = .error
        }
    }
}

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

    @Test func swiftLog() async throws {
        let url = server.url
        let logger = Logger(label: "api")
        let api = Client(baseURL: url) {
            $0.log = CallLog(.line) { entry in
                logger.log(level: .init(entry.severity), "\(entry.text)", metadata: ["call": "\(entry.call)"])
            }
        }
        let call = Fetch<String>(.get("/a"), of: api).start()
        #expect(try await call.value == "ok")
        let lines = Logger.lines.withLock(\.self).filter { $0.2 == ["call": .string("\(call.id)")] }
        #expect(lines.map(\.0) == [.info, .info])
        #expect(lines.first?.1 == "→ GET \(server.url("/a"))")
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
        let client = Client(baseURL: server.url)
        func GetUser(id: Int) -> GetUser { .init(id: id, of: client) }
        let call = GetUser(id: 1).start()
        _ = try await call.value
        print(call.curlCommand ?? "")
        print(try GetUser(id: 1).curlCommand())
        #expect(call.curlCommand == "curl --compressed \\\n  '\(server.url("/users/1"))'")
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

    @Test func tracing() async throws {
        let url = server.url
        let traced = Client(baseURL: url) {
            $0.attemptInterceptors = [
                TraceInterceptor {
                    OpenTelemetry.activeSpan.flatMap { span in
                        TraceContext(traceparent: "00-\(span.traceId.hexString)-\(span.spanId.hexString)-01")
                    }
                }
            ]
        }
        #expect(try await traced.get("/a", as: String.self).value == "ok")
        let header = try #require(server.requests.first?.headers["traceparent"])
        #expect(header.hasPrefix("00-4bf92f3577b34da6a3ce929d0e0e4736-"))
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
