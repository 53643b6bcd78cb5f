import Foundation
import LoopbackServer
import TangoMeasuring
import TangoRequest
import Testing

@testable import TestSupport

/// The header `traceparent`.
@Suite(.timeLimit(.minutes(20)))
struct TraceTests {
    private enum Tracing {
        @TaskLocal static var current: TraceContext?
    }

    @Test(arguments: [
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", true),
        ("00-00000000000000000000000000000001-0000000000000001-ff", true),
        ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", true),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", false),
        ("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", false),
        ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", false),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", false),
        ("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", false),
        ("00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01", false),
        ("00-+bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", false),
        ("", false), ("00", false), ("00-x-y-z", false),
    ])
    func headerIsReadAsTheStandardSays(_ text: String, _ isValid: Bool) {
        let context = TraceContext(traceparent: text)
        #expect((context != nil) == isValid)
        if text.hasPrefix("00-"), let context, text.suffix(2) != "ff" { #expect(context.traceparent == text) }
    }

    @Test func spansOfATraceDiffer() {
        let context = TraceContext(isSampled: false)
        let child = context.child()
        #expect(child.traceID == context.traceID)
        #expect(child.spanID != context.spanID)
        #expect(!child.isSampled)
        #expect(TraceContext(traceparent: "\(child)") == child)
        #expect(Set([child, context, child]).count == 2)
    }

    @Test func eachAttemptIsASpanOfItsOwn() async throws {
        let site = try Site()
        site.server.enqueue(Response.text("lost").failing(.reset, at: .response), .text("ok"))
        let client = site.client(attemptInterceptors: [TraceInterceptor { Tracing.current }])
        let context = TraceContext()
        let text = try await Tracing.$current.withValue(context) {
            try await Fetch<String>(.get("/a"), of: client).promise.value
        }
        #expect(text == "ok")
        let spans = site.server.requests.compactMap { $0.headers["traceparent"] }.compactMap(TraceContext.init)
        #expect(spans.map(\.traceID) == [context.traceID, context.traceID])
        #expect(Set(spans.map(\.spanID) + [context.spanID]).count == 3)
    }

    @Test func headerOfTheRequestAndTheLackOfASpanCount() async throws {
        let site = try Site()
        site.server.answer(with: .text("ok"))
        let client = site.client(attemptInterceptors: [TraceInterceptor { Tracing.current }])
        _ = try await Fetch<String>(.get("/a"), of: client).promise.value
        _ = try await Tracing.$current.withValue(TraceContext()) {
            try await Fetch<String>(.get("/a", headers: ["traceparent": "mine"]), of: client).promise.value
        }
        #expect(site.server.requests.map { $0.headers["traceparent"] } == [nil, "mine"])
    }

    @Test(arguments: [false, true])
    func otherOriginsAreTracedOnlyIfAsked(_ tracesOthers: Bool) async throws {
        let (site, other) = (try Site(), try Site())
        other.server.answer(with: .text("ok"))
        let client = site.client(
            attemptInterceptors: [TraceInterceptor(tracesOthers: tracesOthers) { TraceContext() }])
        _ = try await Fetch<String>(.get(other.server.url("/a").absoluteString), of: client).promise.value
        #expect(other.server.requests.map { $0.headers["traceparent"] != nil } == [tracesOthers])
    }
}
