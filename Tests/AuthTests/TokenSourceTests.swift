import Foundation
import LoopbackServer
import Synchronization
import TangoPromise
import Testing

@testable import TangoAuth
@testable import TangoRequest
@testable import TestSupport

/// The origins of tokens: sources, stores, and updates by the app.
@Suite(.timeLimit(.minutes(20)))
struct TokenSourceTests {
    private let site: TokenSite

    init() throws { site = try TokenSite(accepting: "a") }

    // MARK: Sources and stores

    @Test func tokenIsStoredBeforeCallsUseIt() async throws {
        site.accept("b")
        let store = TestStore(Token("a"), identity: "of tokenIsStoredBeforeCallsUseIt")
        site.server.answer { request in
            guard request.headers["Authorization"] == "Bearer b" else { return .status(401) }
            return .json(#"{"token": "\#(store.stored?.token.value ?? "")"}"#)
        }
        site.source.issue(Token("b", refreshToken: "r2"))
        let client = site.client(site.authenticator(store: store))
        #expect(try await site.call(client).value.token == "b")
        #expect(store.log == ["saved b"])
        #expect(store.stored?.identity == "of tokenIsStoredBeforeCallsUseIt")
    }

    // MARK: The request that needs a token

    /// The requests that the source has seen, in words.
    private func seen(_ facts: Facts) -> ScriptedSource.Step {
        { _, context in
            let request = context.request
            facts.note(
                "\(request?.method.rawValue ?? "none") \(request?.url.requestTarget ?? "") \(request?.headers["X-A"] ?? "") "
                    + "\(context.tags.sorted()) \(request?.body.isNone == true) \(request?.headers["Authorization"] ?? "none")"
            )
            return Token("a")
        }
    }

    @Test func sourceSeesTheRequestWithoutBodyAndCredentials() async throws {
        let facts = Facts()
        site.source.add(seen(facts))
        site.source.add(seen(facts))
        let client = site.client(site.authenticator())
        func post(_ path: String) -> Call<TokenSite.Item> {
            let request = Fetch<TokenSite.Item>(.post(path, body: .string("secret")), of: client)
            request.fields = ["X-A": "1"]
            request.words = ["orders"]
            return request.start()
        }
        #expect(try await post("/first?b=2").value.token == "a")
        // The server does not accept the token any more.
        site.server.enqueue(.status(401).header("WWW-Authenticate", "Bearer"))
        #expect(try await post("/second").value.token == "a")
        #expect(
            facts.all == [
                #"POST /first?b=2 1 ["orders"] true none"#, #"POST /second 1 ["orders"] true none"#,
            ])
    }

    @Test func sourceSeesTheRequestOfTheFirstCallThatWaits() async throws {
        let facts = Facts()
        let (gate, resolver) = Promise<Void>.pending()
        let step = seen(facts)
        site.source.add { old, context in
            try await gate.value
            return try await step(old, context)
        }
        let client = site.client(site.authenticator())
        let first = site.call(client, "/1")
        while site.source.replaced.isEmpty { await Task.yield() }
        let others = (2...5).map { site.call(client, "/\($0)") }
        for call in others { for await state in call.states where state == .held { break } }
        resolver.fulfill()
        for call in [first] + others { #expect(try await call.value.token == "a") }
        #expect(facts.all == ["GET /1  [] true none"])
    }

    @Test func servicesMayShareASource() async throws {
        site.accept("one", "two")
        for name in ["one", "two"] {
            site.source.add { _, context in Token(context.request?.url.requestTarget == "/\(name)/x" ? name : "wrong") }
        }
        let isTwo: @Sendable (URL) -> Bool = { $0.path.hasPrefix("/two/") }
        let client = site.client(
            .services([
                ServicePattern("\(site.server.url)/one/*"): site.authenticator(),
                .matching(isTwo): site.authenticator(),
            ]))
        for path in ["/one/x", "/two/x", "/one/x", "/two/x"] { _ = try await site.call(client, path).value }
        #expect(site.tokens == ["one", "two", "one", "two"])
        #expect(site.source.replaced.count == 2)
        // Requests to other URLs get no credentials.
        #expect(await refusal(of: site.call(client, "/three").promise)?.code == .badStatus)
        #expect(site.tokens.last == "none")
    }

    @Test func tokenThatCannotBeStoredIsUsed() async throws {
        struct Full: Error {}
        let store = TestStore(Token("old"))
        store.fail(with: Full())
        site.source.issue(Token("a"))
        let client = site.client(site.authenticator(store: store))
        #expect(try await site.call(client).value.token == "a")
    }

    @Test func tokenOfAnotherProcessIsUsed() async throws {
        let store = TestStore(Token("old"))
        let client = site.client(site.authenticator(store: store))
        #expect(await refusal(of: site.call(client).promise) != nil)
        store.set(StoredToken(token: Token("a"), identity: store.stored?.identity ?? ""))
        #expect(try await site.call(client).value.token == "a")
        #expect(site.source.replaced == ["old"])
    }

    @Test func signOutInAnotherProcessSignsOutHere() async throws {
        site.accept()
        let store = TestStore(Token("a"))
        let client = site.client(site.authenticator(store: store))
        let call = site.call(client)
        _ = try await site.server.requests(count: 1)
        store.set(nil)
        let error = await refusal(of: call.promise)
        #expect(error?.code == .signedOut || error?.code == .badStatus)
        #expect(site.source.replaced.allSatisfy { $0 == "a" })
    }

    @Test func requestForATokenNeedsNoToken() async throws {
        let server = site.server
        server.answer("/token", with: .text("a"))
        site.source.add { _, context in
            let response = try await context.send(HTTPRequest(.get, server, "/token"))
            return Token(String(decoding: response.body, as: UTF8.self))
        }
        let client = site.client(site.authenticator())
        #expect(try await site.call(client).value.token == "a")
        #expect(server.requests.map { $0.headers["Authorization"] } == [nil, "Bearer a"])
    }

    @Test func requestForATokenByTheSameClientNeedsNoTokenEither() async throws {
        let server = site.server
        server.answer("/token", with: .text("a"))
        site.source.add { _, context in
            Token(try await context.client.get("/token", as: String.self).value)
        }
        let client = site.client(site.authenticator())
        #expect(try await site.call(client).value.token == "a")
        #expect(server.requests.map { $0.headers["Authorization"] } == [nil, "Bearer a"])
    }

    /// A rejected request for a token must not wait for the token that it requests.
    @Test func rejectionOfARequestForATokenByTheSameClientEndsIt() async throws {
        site.server.answer("/token", with: .status(401).header("WWW-Authenticate", "Bearer"))
        site.source.add { _, context in
            Token(try await context.client.get("/token", as: String.self).value)
        }
        let client = site.client(site.authenticator())
        #expect(await refusal(of: site.call(client).promise)?.code == .authenticationFailed)
        #expect(site.server.requests.map(\.target) == ["/token"])
    }

    @Test func requestForATokenJoinsNoCallThatWaitsForIt() async throws {
        site.server.answer("/token", with: .text("a"))
        site.source.add { _, context in
            Token(try await context.client.get("/token", as: String.self).value)
        }
        let client = site.client(site.authenticator()) {
            $0.identity = "ada"
            $0.uniqueness = .join
        }
        #expect(try await client.get("/token", as: String.self).value == "a")
        #expect(site.server.requests.map { $0.headers["Authorization"] } == [nil, "Bearer a"])
    }

    @Test func requestForATokenNeedsNoSlotOfTheLimiter() async throws {
        site.accept("b")
        let server = site.server
        server.answer("/token", with: .text("b"))
        site.source.add { _, context in
            let response = try await context.send(HTTPRequest(.get, server, "/token"))
            return Token(String(decoding: response.body, as: UTF8.self))
        }
        let client = site.client(site.authenticator(Token("a"))) { $0.limiter = Limiter(total: 1) }
        let calls = (0..<10).map { _ in site.call(client) }
        for call in calls { #expect(try await call.value.token == "b") }
        #expect(site.source.replaced == ["a"])
    }

    // MARK: Changes from outside

    @Test func updateReleasesTheCallsThatWait() async throws {
        let gate = Gate()
        site.source.add { _, _ in
            try await gate.opened()
            return Token("late")
        }
        let authenticator = site.authenticator()
        let client = site.client(authenticator)
        let calls = (0..<5).map { _ in site.call(client) }
        try await gate.reached()
        try await authenticator.update(Token("a"))
        for call in calls { #expect(try await call.value.token == "a") }
        gate.open()
        #expect(authenticator.token?.value == "a")
        #expect(try await site.call(client).value.token == "a")
    }

    @Test func clientsShareAToken() async throws {
        site.accept("b")
        site.source.issue(Token("b"))
        let authenticator = site.authenticator(Token("a"))
        let clients = (0..<3).map { _ in site.client(authenticator) }
        for client in clients { #expect(try await site.call(client).value.token == "b") }
        #expect(site.source.replaced == ["a"])
    }

    @Test func otherClientsGetATokenIfTheClientOfTheRequestIsShutDown() async throws {
        let gate = Gate()
        let server = site.server
        server.answer("/token", with: .text("late").held(by: gate))
        site.source.add { _, context in
            let response = try await context.send(HTTPRequest(.get, server, "/token"))
            return Token(String(decoding: response.body, as: UTF8.self))
        }
        site.source.issue(Token("a"))
        let authenticator = site.authenticator()
        let first = site.client(authenticator)
        let second = site.client(authenticator)
        let call = site.call(first)
        try await gate.reached()
        let other = site.call(second)
        while other.state != .held || authenticator.state.withLock({ $0.waiters.count }) < 2 { await Task.yield() }
        await first.shutdown()
        #expect(await refusal(of: call.promise)?.code == .shutDown)
        #expect(try await other.value.token == "a")
        gate.open()
    }
}
