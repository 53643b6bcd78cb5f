import Foundation
import TangoRequest
import Testing

@testable import TestSupport

/// A requirement of a specification, as a sequence of requests and responses.
struct ConformanceRow: Sendable, CustomTestStringConvertible {
    /// The source of a response.
    enum Source: String, Sendable {
        case server, cache, confirmed
    }

    struct Step: Sendable {
        var method = "GET"
        var url = "http://example.com/a"
        var sent: [(String, String)] = []
        var wait = 0.0
        var reply = HTTPCacheOrigin.Reply()
        var source: Source?
        var status: Int?
        var body: String?
        var has: [(String, String)] = []
        var lacks: [String] = []
        /// The headers that the origin must receive.
        var forwards: [(String, String)] = []
        var withholds: [String] = []
        var fails: RequestError.Code?
    }

    let name: String
    let steps: [Step]

    init(_ name: String, _ steps: Step...) {
        self.init(name, steps: steps)
    }

    init(_ name: String, steps: [Step]) {
        self.name = name
        self.steps = steps
    }

    var testDescription: String { name }

    /// Creates a row of two requests: one whose response has these headers, and another after a time.
    static func reuse(
        _ name: String, _ headers: [(String, String)], status: Int = 200, after wait: Double = 5,
        asking: [(String, String)] = [], first: [(String, String)] = [], from source: Source
    ) -> ConformanceRow {
        var one = Step()
        one.sent = first
        one.reply.status = status
        one.reply.headers = headers
        var two = one
        two.sent = asking
        two.wait = wait
        two.source = source
        return ConformanceRow(name, one, two)
    }

    func run(_ site: HTTPCacheSite) async throws {
        for (place, step) in steps.enumerated() {
            let comment = Comment(rawValue: "\(name), step \(place + 1)")
            site.wait(step.wait)
            site.origin.reply = step.reply
            let seen = site.origin.requests.count
            let response: HTTPResponse
            do {
                response = try await site.send(step.method, step.url, step.sent)
            } catch let error as RequestError {
                #expect(error.code == step.fails, "\(comment): \(error)")
                continue
            }
            #expect(step.fails == nil, comment)
            let requests = site.origin.requests.dropFirst(seen)
            if let source = step.source {
                // The background refresh of a stale response may have reached the origin already.
                let actual: Source =
                    requests.isEmpty || response.source.isStale
                    ? .cache : response.source == .validated ? .confirmed : .server
                #expect(actual == source, comment)
            }
            if let status = step.status { #expect(response.status.code == status, comment) }
            if let body = step.body { #expect(String(decoding: response.body, as: UTF8.self) == body, comment) }
            for (name, value) in step.has {
                #expect(response.headers.combined(name) == site.origin.dated(value), comment)
            }
            for name in step.lacks { #expect(!response.headers.contains(name), comment) }
            for (name, value) in step.forwards {
                #expect(requests.last?.headers.combined(name) == site.origin.dated(value), comment)
            }
            for name in step.withholds { #expect(requests.last?.headers.contains(name) != true, comment) }
        }
    }
}

extension ConformanceRow.Step {
    static func get(
        _ sent: [(String, String)] = [], reply headers: [(String, String)] = [], status: Int = 200,
        body: String? = nil
    ) -> Self {
        var step = Self()
        step.sent = sent
        step.reply.headers = headers
        step.reply.status = status
        step.reply.body = body
        return step
    }

    static func send(
        _ method: String, _ sent: [(String, String)] = [], reply headers: [(String, String)] = [], status: Int = 200,
        body: String? = nil
    ) -> Self {
        var step = get(sent, reply: headers, status: status, body: body)
        step.method = method
        return step
    }

    func with(_ change: (inout Self) -> Void) -> Self {
        var step = self
        change(&step)
        return step
    }

    func to(_ path: String) -> Self { with { $0.url = path.hasPrefix("http") ? path : "http://example.com" + path } }
    func after(_ seconds: Double) -> Self { with { $0.wait = seconds } }
    func from(_ source: ConformanceRow.Source) -> Self { with { $0.source = source } }
    func is_(_ status: Int) -> Self { with { $0.status = status } }
    func reads(_ body: String) -> Self { with { $0.body = body } }
    func has(_ name: String, _ value: String) -> Self { with { $0.has.append((name, value)) } }
    func lacks(_ name: String) -> Self { with { $0.lacks.append(name) } }
    func forwards(_ name: String, _ value: String) -> Self { with { $0.forwards.append((name, value)) } }
    func withholds(_ name: String) -> Self { with { $0.withholds.append(name) } }
    func fails(_ code: RequestError.Code) -> Self { with { $0.fails = code } }
    func unconditional() -> Self { with { $0.reply.knowsConditions = false } }
    func confirming(_ headers: [(String, String)]) -> Self { with { $0.reply.confirming = headers } }
    func broken(_ code: RequestError.Code) -> Self { with { $0.reply.error = code } }
}
