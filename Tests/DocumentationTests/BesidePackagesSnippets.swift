import Foundation
import LoopbackServer
import Synchronization
import Tango
import TangoMeasuring
import Testing

@testable import TestSupport

// Logs

extension CallLog {
    static func swiftLog(_ level: Level, to logger: Logging.Logger) -> CallLog {
        CallLog(level) { entry in
            var metadata: Logging.Logger.Metadata = ["call": "\(entry.call)"]
            if let attempt = entry.attempt { metadata["attempt"] = "\(attempt)" }
            logger.log(level: .init(entry.severity), "\(entry.text)", metadata: metadata)
        }
    }
}

extension Logging.Logger.Level {
    init(_ severity: CallLog.Entry.Severity) {
        switch severity {
        case .info: self = .info
        case .warning: self = .warning
        case .error: self = .error
        }
    }
}

// Metrics

struct CallMetrics: CallObserver {
    func observe(_ event: CallEvent) {
        guard case .finished(let state, _) = event.kind else { return }
        let call = event.call
        let host = call.attempts.last?.request.url.host() ?? "none"
        let dimensions = [("host", host), ("state", "\(state)")]
        Metrics.Counter(label: "http_client_calls", dimensions: dimensions).increment()
        let retries = call.attempts.count { $0.cause == .retry }
        Metrics.Counter(label: "http_client_retries", dimensions: [("host", host)]).increment(by: retries)
        guard let duration = call.timeline.duration else { return }
        let timer = Metrics.Timer(label: "http_client_duration", dimensions: dimensions)
        timer.recordNanoseconds(Int64(duration / .nanoseconds(1)))
    }
}

// Traces

struct TracedAttempts: Interceptor {
    struct HeaderInjector: Tracing.Injector {
        func inject(_ value: String, forKey name: String, into headers: inout Headers) { headers[name] = value }
    }

    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        try await Tracing.withSpan("\(request.method)", ofKind: .client) { span in
            var request = request
            if context.allowsCredentials(for: request.url) {
                let instrument = Tracing.InstrumentationSystem.instrument
                instrument.inject(span.context, into: &request.headers, using: HeaderInjector())
            }
            let redaction = context.client.configuration.redaction
            span.attributes["http.request.method"] = .string(request.method.rawValue)
            span.attributes["url.full"] = .string(redaction.redact(request.url))
            let response = try await next(request)
            span.attributes["http.response.status_code"] = .int64(Int64(response.status.code))
            if response.status.code >= 400 { span.setStatus(Tracing.SpanStatus(code: .error)) }
            return response
        }
    }
}

extension TraceContext {
    static var active: TraceContext? {
        let provider = OpenTelemetryApi.OpenTelemetry.instance.contextProvider
        guard let context = provider.activeSpan?.context else { return nil }
        let flags = context.traceFlags.sampled ? "01" : "00"
        return TraceContext(traceparent: "00-\(context.traceId.hexString)-\(context.spanId.hexString)-\(flags)")
    }
}

/// The code of "Beside other packages", against declarations of the shape of those packages.
@Suite(.timeLimit(.minutes(20))) struct BesidePackagesSnippets {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.answer("/a", with: .text("a"))
    }

    @Test func logs() async throws {
        let url = server.url
        let logger = Logging.Logger(label: "api")
        let api = Client(baseURL: url) {
            $0.log = .swiftLog(.line, to: logger)
            $0.retryPolicy = .standard
        }
        server.enqueue(.status(503), .text("a"))
        let call = Fetch<String>(.get("/a"), of: api).start()
        #expect(try await call.value == "a")
        let lines = logger.lines.all.withLock(\.self)
        #expect(lines.allSatisfy { $0.metadata["call"] == .string("\(call.id)") })
        #expect(lines.first?.text == "→ GET \(server.url("/a"))")
        #expect(lines.first?.metadata["attempt"] == .string("1"))
        #expect(lines.last?.metadata["attempt"] == .string("2"))
        #expect(Logging.Logger.Level(.error) == .error && Logging.Logger.Level(.warning) == .warning)
        server.stop()
    }

    @Test func metrics() async throws {
        let api = Client(baseURL: server.url) {
            $0.observers.append(CallMetrics())
            $0.retryPolicy = .standard
        }
        server.enqueue(.status(503), .text("a"))
        _ = try await api.get("/a", as: String.self).value
        let error = try await failure { try await api.get("/missing", as: String.self).value }
        #expect(error.code == .badStatus)
        let recorded = Metrics.recorded.withLock(\.self)
        #expect(recorded["http_client_calls host=127.0.0.1 state=success"] == [1])
        #expect(recorded["http_client_calls host=127.0.0.1 state=failure"] == [1])
        #expect(recorded["http_client_retries host=127.0.0.1"] == [1, 0])
        #expect(recorded["http_client_duration host=127.0.0.1 state=success"]?.allSatisfy { $0 > 0 } == true)
        server.stop()
    }

    @Test func traces() async throws {
        let url = server.url
        let api = Client(baseURL: url) { $0.attemptInterceptors = [TracedAttempts()] }
        let parent = "trace \(url)"
        try await Tracing.ServiceContext.$current.withValue(Tracing.ServiceContext(span: parent)) {
            _ = try await api.get("/a", query: ["token": "secret"], as: String.self).value
            _ = try await failure { try await api.get("/missing", as: String.self).value }
        }
        let spans = Tracing.TestTracer.spans.withLock(\.self).filter { $0.parent == parent }
        #expect(spans.map(\.name) == ["GET", "GET"])
        #expect(spans.map(\.kind) == [.client, .client])
        #expect(spans[0].attributes["http.response.status_code"] == .int64(200))
        #expect(spans[0].attributes["url.full"] == .string("\(url)/a?token=…"))
        #expect(spans[0].status == nil)
        #expect(spans[1].attributes["http.response.status_code"] == .int64(404))
        #expect(spans[1].status == Tracing.SpanStatus(code: .error))
        #expect(server.requests.map(\.headers["traceparent"]) == ["\(parent)/GET", "\(parent)/GET"])

        let other = try LoopbackServer()
        other.answer(with: .text("b"))
        _ = try await api.get("\(other.url("/b"))", as: String.self).value
        #expect(other.requests.map(\.headers["traceparent"]) == [nil])
        other.stop()
        server.stop()
    }

    @Test func openTelemetry() async throws {
        struct Span: OpenTelemetryApi.Span {
            let context = OpenTelemetryApi.SpanContext(
                traceId: .init(hexString: "4bf92f3577b34da6a3ce929d0e0e4736"),
                spanId: .init(hexString: "00f067aa0ba902b7"), traceFlags: .init(sampled: true))
        }
        let url = server.url
        let api = Client(baseURL: url) { $0.attemptInterceptors = [TraceInterceptor { .active }] }
        try await OpenTelemetryApi.OpenTelemetryContextProvider.$span.withValue(Span()) {
            _ = try await api.get("/a", as: String.self).value
        }
        _ = try await api.get("/a", as: String.self).value
        let headers = server.requests.map(\.headers["traceparent"])
        #expect(headers[0]?.hasPrefix("00-4bf92f3577b34da6a3ce929d0e0e4736-") == true)
        #expect(headers[0]?.hasSuffix("-01") == true)
        #expect(headers[1] == nil)
        server.stop()
    }
}
