import Foundation
import LoopbackServer
import TangoAuth
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Settings with values that have no meaning: requests fail before they are sent, and the error names the setting.
@Suite(.timeLimit(.minutes(20)))
struct InvalidSettingsTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let text: String
        let change: @Sendable (inout Client.Configuration) -> Void
        var testDescription: String { text }
    }

    static let rows = [
        Row(text: "RetryBudget.burst is -1: set zero or more") { $0.retryBudget = RetryBudget(burst: -1) },
        Row(text: "RetryBudget.perRequest is -0.5: set zero or more") {
            $0.retryBudget = RetryBudget(perRequest: -0.5)
        },
        Row(text: "RetryBudget.perSecond is nan: set zero or more") { $0.retryBudget = RetryBudget(perSecond: .nan) },
        Row(text: "responseLimit is -1: set zero or more, or nil for no limit") { $0.responseLimit = -1 },
        Row(text: "Decompression.ratio is 0: set at least one") { $0.decompression = Decompression(ratio: 0) },
        Row(text: "Decompression.allowance is -1: set zero or more") {
            $0.decompression = Decompression(allowance: -1)
        },
        Row(text: "Decompression.limit is -1: set zero or more, or nil for no limit") {
            $0.decompression = Decompression(limit: -1)
        },
        Row(text: "Limiter.total is 0: set at least one, or nil for no limit") { $0.limiter = Limiter(total: 0) },
        Row(text: "RetryPolicy.exponential has 0 attempts: set at least one") {
            $0.retryPolicy = .exponential(attempts: 0)
        },
        Row(text: "RetryPolicy.longestWait is -1 s: set zero or more") {
            $0.retryPolicy = .standard
            $0.retryPolicy.longestWait = .seconds(-1)
        },
        Row(text: "RedirectPolicy has the limit -1: set zero or more") { $0.redirectPolicy = .follow(limit: -1) },
        Row(text: "waitsForConnectivity is 0 ms: set more than zero, or nil to send without waiting") {
            $0.waitsForConnectivity = .zero
        },
        Row(text: "the age of CachePolicy is -1 s: set zero or more") {
            $0.cachePolicy = .cacheElseNetwork(maxAge: .seconds(-1))
        },
        Row(text: "the age of CachePolicy is -2 s: set zero or more") {
            $0.cachePolicy = CachePolicy(fetch: .networkElseCache, hit: .sliding(.seconds(-2)))
        },
        Row(text: "HeuristicFreshness.fraction is nan: set zero or more") {
            $0.cachePolicy = .http
            $0.heuristicFreshness = HeuristicFreshness(fraction: .nan, limit: .zero)
        },
        Row(text: "HeuristicFreshness.limit is -1 s: set zero or more") {
            $0.cachePolicy = .http
            $0.heuristicFreshness = HeuristicFreshness(fraction: 1, limit: .seconds(-1))
        },
        Row(text: "TokenAuthenticator.earlyRenewal is -1 s: set zero or more") {
            $0.authenticator = TokenAuthenticator(NoTokens(), earlyRenewal: .seconds(-1))
        },
        Row(text: "TokenAuthenticator.clockSkew is -1 s: set zero or more") {
            $0.authenticator = TokenAuthenticator(NoTokens(), clockSkew: .seconds(-1))
        },
        Row(text: "TokenAuthenticator.holdLimit is 0 ms: set more than zero, or nil for no limit") {
            $0.authenticator = TokenAuthenticator(NoTokens(), holdLimit: .zero)
        },
    ]

    private struct NoTokens: TokenSource {
        struct Missing: Error {}

        func token(replacing old: Token?, context: AuthenticationContext) async throws -> Token { throw Missing() }
    }

    struct Streamed: Sendable, CustomTestStringConvertible {
        let text: String
        let serializer: Serializer<EventStream<String>>
        var testDescription: String { text }

        init(_ text: String, _ policy: EventStreamPolicy) {
            self.text = text
            serializer = .events(policy)
        }
    }

    static let streams = [
        Streamed("EventStreamPolicy.wait is -1 s: set zero or more", EventStreamPolicy(wait: .seconds(-1))),
        Streamed(
            "EventStreamPolicy.longestWait is -1 s: set zero or more", EventStreamPolicy(longestWait: .seconds(-1))),
        Streamed(
            "EventStreamPolicy.attempts is -1: set zero or more, or nil for no limit", EventStreamPolicy(attempts: -1)),
        Streamed("EventStreamPolicy.eventLimit is 0: set at least one", EventStreamPolicy(eventLimit: 0)),
    ]

    @Test(arguments: streams) func eventStreamIsRefused(_ row: Streamed) async throws {
        let site = try Site()
        let request = Fetch(.get("/a"), of: site.client(), by: row.serializer)
        let error = try #require(await refusal(of: request.promise))
        #expect(error.code == .badPolicy)
        #expect(error.detail == row.text)
        #expect(site.server.requests.isEmpty)
    }

    @Test func linesAreRefused() async throws {
        let site = try Site()
        let lines = Fetch<Lines>(.get("/a"), of: site.client(), by: .lines(limit: 0))
        #expect(await refusal(of: lines.promise)?.detail == "the limit of lines is 0: set at least one")
        let documents = Fetch<NDJSON<Int>>(.get("/a"), of: site.client(), by: .ndjson(limit: -1))
        #expect(await refusal(of: documents.promise)?.detail == "the limit of ndjson is -1: set at least one")
        #expect(site.server.requests.isEmpty)
    }

    #if os(Linux)
        @Test(arguments: [
            ("limit is 0: set at least one, or nil for no limit", CurlConfiguration(limit: 0)),
            ("limitPerHost is -1: set at least one, or nil for no limit", CurlConfiguration(limitPerHost: -1)),
            ("idleConnections is 0: set at least one", CurlConfiguration(idleConnections: 0)),
            ("buffer is 0: set at least one", CurlConfiguration(buffer: 0)),
        ])
        func numbersOfTheTransportAreRefused(text: String, configuration: CurlConfiguration) async throws {
            let server = try LoopbackServer()
            let transport = CurlTransport(configuration)
            let client = Client(baseURL: server.url) { $0.transport = transport }
            for isIntercepted in [false, true] {
                let client = client.with { if isIntercepted { $0.interceptors = [Pass()] } }
                let error = try await failure { try await client.get("/a", as: String.self).value }
                #expect(error.code == .badPolicy)
                #expect(error.detail == "CurlConfiguration.\(text)")
            }
            #expect(server.requests.isEmpty)
            await transport.shutdown()
        }
    #endif

    @Test(arguments: rows) func requestIsRefused(_ row: Row) async throws {
        let server = try LoopbackServer()
        let client = Client(baseURL: server.url, configure: row.change)
        for isIntercepted in [false, true] {
            let client = client.with { if isIntercepted { $0.interceptors = [Pass()] } }
            let error = try await failure { try await client.get("/a", as: String.self).value }
            #expect(error.code == .badPolicy)
            #expect(error.phase == .prepare)
            #expect(error.detail == row.text)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func smallestValuesAreValid() async throws {
        let server = try LoopbackServer()
        server.answer("/a", with: .status(204))
        let client = Client(baseURL: server.url) {
            $0.retryBudget = RetryBudget(burst: 0, perRequest: 0, perSecond: 0)
            $0.responseLimit = 0
            $0.decompression = Decompression(ratio: 1, allowance: 0, limit: 0)
        }
        try await client.get("/a", as: Void.self).value
    }

    private struct Pass: Interceptor {
        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            try await next(request)
        }
    }

    /// A sum of times can be longer than what has whole seconds in 64 bits.
    @Test func endlessTimesAreNoLimits() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a"))
        var timeouts = Timeouts(connect: .seconds(1e20), idle: .seconds(1e20))
        timeouts.attempt = .seconds(1e20)
        timeouts.total = .seconds(1e20)
        #expect(try await site.client(timeouts: timeouts).get("/a", as: String.self).value == "a")
    }
}
