import Foundation
import LoopbackServer
import Synchronization
import TangoAuth
import TangoCache
import TangoCookies
import TangoRequest
import Testing

@testable import TestSupport

/// The order in which calls are sent that one thread has started one after the other.
@Suite(.timeLimit(.minutes(20)))
struct OrderTests {
    private let site: Site

    init() throws {
        site = try Site()
        site.server.answer(with: .text("ok"))
    }

    /// The owner of the limit.
    enum Limit: CaseIterable {
        case total, perHost, ofTheTransport, ofTheTransportPerHost

        func apply(to configuration: inout Client.Configuration, _ kind: TransportUnderTest) throws {
            switch self {
            case .total: configuration.limiter = Limiter(total: 1)
            case .perHost: configuration.limiter = Limiter(perHost: 1)
            case .ofTheTransport: configuration.transport = try kind.make(.init(limit: 1))
            case .ofTheTransportPerHost: configuration.transport = try kind.make(.init(limitPerHost: 1))
            }
        }
    }

    /// Blocks the thread of the first call until all others have passed.
    private final class Turnstile: Sendable {
        private let others: Int
        private let passed = Atomic(0)
        private let isFree = DispatchSemaphore(value: 0)

        init(others: Int) { self.others = others }

        func pass(isFirst: Bool) {
            if isFirst {
                isFree.wait()
            } else if passed.add(1, ordering: .relaxed).newValue == others {
                isFree.signal()
            }
        }
    }

    private struct Document: Encodable, Sendable {
        let number: Int
        let turnstile: Turnstile?

        func encode(to encoder: any Encoder) throws {
            turnstile?.pass(isFirst: number == 1)
            var container = encoder.singleValueContainer()
            try container.encode([number])
        }
    }

    private struct Passing: Interceptor {
        let turnstile: Turnstile

        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            turnstile.pass(isFirst: request.url.path == "/1")
            return try await next(request)
        }
    }

    private let count = 8

    private func client(_ change: (inout Client.Configuration) throws -> Void) rethrows -> Client {
        var configuration = Client.Configuration()
        configuration.timeouts = .patient
        try change(&configuration)
        return Client(baseURL: site.server.url, configuration: configuration)
    }

    /// Starts calls on one thread. Returns the paths in the order in which they arrive at the server.
    private func order(of client: Client, _ turnstile: Turnstile? = nil) async throws -> [String] {
        let sent = site.server.requests.count
        let calls = (1...count).map { number in
            Fetch<String>(.put("/\(number)", body: .json(Document(number: number, turnstile: turnstile))), of: client)
                .start()
        }
        for call in calls { _ = try await call.value }
        return site.server.requests.dropFirst(sent).map(\.path)
    }

    private var inOrder: [String] { (1...count).map { "/\($0)" } }

    @Test(arguments: TransportUnderTest.all, Limit.allCases)
    func callWhoseBodyTakesLongKeepsItsPlace(_ kind: TransportUnderTest, _ limit: Limit) async throws {
        let client = try client { try limit.apply(to: &$0, kind) }
        #expect(try await order(of: client, Turnstile(others: count - 1)) == inOrder)
    }

    @Test(arguments: TransportUnderTest.all, Limit.allCases)
    func callWithASlowObserverKeepsItsPlace(_ kind: TransportUnderTest, _ limit: Limit) async throws {
        let turnstile = Turnstile(others: count - 1)
        let client = try client { configuration in
            try limit.apply(to: &configuration, kind)
            configuration.observe { event in
                guard case .willStart(let request?) = event.kind else { return }
                turnstile.pass(isFirst: request.url.path == "/1")
            }
        }
        #expect(try await order(of: client) == inOrder)
    }

    @Test(arguments: TransportUnderTest.all, Limit.allCases)
    func callWithASlowInterceptorKeepsItsPlace(_ kind: TransportUnderTest, _ limit: Limit) async throws {
        let turnstile = Turnstile(others: count - 1)
        let client = try client { configuration in
            try limit.apply(to: &configuration, kind)
            configuration.interceptors = [Passing(turnstile: turnstile)]
        }
        #expect(try await order(of: client) == inOrder)
    }

    /// A call without a body is sent on the thread that starts it, unless another one is before it.
    @Test(arguments: [Uniqueness.allow, .join])
    func callWithoutABodyDoesNotOvertake(_ uniqueness: Uniqueness) async throws {
        let client = client { configuration in
            configuration.limiter = Limiter(total: 1)
            configuration.uniqueness = uniqueness
        }
        let turnstile = Turnstile(others: 1)
        let calls = [
            Fetch<String>(.put("/1", body: .json(Document(number: 1, turnstile: turnstile))), of: client),
            Fetch<String>(.get("/2"), of: client),
            Fetch<String>(.put("/3", body: .json(Document(number: 3, turnstile: turnstile))), of: client),
            Fetch<String>(.get("/4"), of: client),
        ].map { $0.start() }
        for call in calls { _ = try await call.value }
        #expect(site.server.requests.map(\.path) == ["/1", "/2", "/3", "/4"])
    }

    private struct Tokens: TokenSource {
        func token(replacing old: Token?, context: AuthenticationContext) async throws -> Token { Token("token") }
    }

    /// The settings with which calls take other ways to the line.
    enum Setting: CaseIterable {
        case none, observed, joined, cached, cachedOnDisk, cachedFirst, withToken, withCookies
    }

    @Test(arguments: Setting.allCases)
    func callsKeepTheirOrder(_ setting: Setting) async throws {
        let files = ScratchFiles()
        let store: (any CacheStore)? =
            switch setting {
            case .cached: MemoryStore()
            case .cachedOnDisk, .cachedFirst: try DiskStore(directory: files.url)
            default: nil
            }
        var configuration = Client.Configuration()
        configuration.timeouts = .patient
        configuration.limiter = Limiter(total: 1)
        switch setting {
        case .observed: configuration.observe { _ in }
        case .joined: configuration.uniqueness = .join
        case .cachedFirst: configuration.cachePolicy = .cacheElseNetwork
        case .withToken: configuration.authenticator = TokenAuthenticator(Tokens())
        case .withCookies: configuration.cookies = .jar(CookieJar())
        default: break
        }
        let client = Client(baseURL: site.server.url, cache: store, configuration: configuration)
        for _ in 0..<20 { #expect(try await order(of: client) == inOrder) }
        // The calls of a new user wait for the first token.
        guard setting == .withToken else { return }
        for _ in 0..<20 {
            configuration.authenticator = TokenAuthenticator(Tokens())
            let client = Client(baseURL: site.server.url, configuration: configuration)
            #expect(try await order(of: client) == inOrder)
        }
    }

    /// Sends a request of its own through the same client before it goes on.
    private struct Asking: Interceptor {
        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            guard request.url.path != "/asked" else { return try await next(request) }
            _ = try await context.client.send(HTTPRequest(url: request.url.appending(path: "/../asked").standardized))
            return try await next(request)
        }
    }

    @Test(arguments: Limit.allCases)
    func callThatWaitsForAnotherOneDoesNotHoldItUp(_ limit: Limit) async throws {
        let client = try client { configuration in
            try limit.apply(to: &configuration, TransportUnderTest.all[0])
            configuration.interceptors = [Asking()]
        }
        _ = try await order(of: client)
        #expect(site.server.requests.count { $0.path == "/asked" } == count)
    }

    /// Holds the first call.
    private struct Holding: Interceptor {
        let gate: Gate

        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            if request.url.path == "/1" { try await gate.opened() }
            return try await next(request)
        }
    }

    @Test func callThatWaitsReturnsToItsPlace() async throws {
        let (gate, held) = (Gate(), Gate())
        let limiter = Limiter(total: 1)
        let client = client { configuration in
            configuration.limiter = limiter
            configuration.interceptors = [Holding(gate: gate)]
        }
        site.server.answer("/2", with: Response.text("ok").held(by: held))
        let calls = (1...3).map { (number: Int) in
            Fetch<String>(.put("/\(number)", body: .json([number])), of: client).start()
        }
        try await held.reached()
        while limiter.waiting < 1 { await Task.yield() }
        gate.open()
        while limiter.waiting < 2 { await Task.yield() }
        held.open()
        for call in calls { _ = try await call.value }
        #expect(site.server.requests.map(\.path) == ["/2", "/1", "/3"])
        #expect(limiter.running == 0)
    }

    /// Calls that end before they reach the line leave their places.
    @Test func callThatEndsEarlyLeavesItsPlace() async throws {
        let gate = Gate()
        let limiter = Limiter(total: 1)
        let client = client { configuration in
            configuration.limiter = limiter
            configuration.interceptors = [Holding(gate: gate)]
        }
        for _ in 0..<20 {
            let call = Fetch<String>(.put("/1", body: .json([1])), of: client).start()
            call.cancel()
            let other = Fetch<String>(.put("/2", body: .json([2])), of: client).start()
            #expect(try await other.value == "ok")
            #expect(await isCancelled(call.promise))
        }
        #expect(limiter.running == 0)
        #expect(limiter.waiting == 0)
    }
}
