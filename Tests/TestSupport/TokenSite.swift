import Foundation
import LoopbackServer
import Synchronization
import TangoAuth
import TangoCache
import TangoPromise

@testable import TangoRequest

/// A server that accepts some tokens, and a source of tokens for it.
final class TokenSite: Sendable {
    struct Item: Codable, Equatable { let token: String }

    let site: Site
    let source = ScriptedSource()
    private let accepted = Mutex<Set<String>>([])

    var server: LoopbackServer { site.server }

    init(accepting tokens: String...) throws {
        site = try Site()
        accepted.withLock { $0 = Set(tokens) }
        server.answer { [weak self] request in self?.response(to: request) ?? .status(500) }
    }

    func accept(_ tokens: String...) {
        accepted.withLock { $0 = Set(tokens) }
    }

    private func response(to request: RecordedRequest) -> Response {
        let token = request.headers["Authorization"]?.dropFirst("Bearer ".count).description
        guard let token, accepted.withLock({ $0.contains(token) }) else {
            return .json(#"{"error": "\#(token ?? "none")"}"#, status: 401).header("WWW-Authenticate", "Bearer")
        }
        return .json(#"{"token": "\#(token)"}"#)
    }

    func authenticator(
        _ token: Token? = nil, store: (any TokenStore)? = nil, early: Duration = .seconds(60),
        holdLimit: Duration? = nil
    ) -> TokenAuthenticator {
        let store = store ?? token.map { TestStore($0) }
        return TokenAuthenticator(source, store: store, earlyRenewal: early, holdLimit: holdLimit)
    }

    func client(
        _ authenticator: any Authenticator, cache: (any CacheStore)? = nil,
        configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        Client(baseURL: server.url, cache: cache) {
            $0.timeouts = .patient
            $0.authenticator = authenticator
            configure(&$0)
        }
    }

    func call(_ client: Client, _ path: String = "/item") -> Call<Item> {
        Fetch<Item>(.get(path), of: client).start()
    }

    /// The tokens that requests were sent with, in order.
    var tokens: [String] {
        server.requests.map { $0.headers["Authorization"]?.dropFirst("Bearer ".count).description ?? "none" }
    }
}

/// A source whose tokens a test scripts.
final class ScriptedSource: TokenSource {
    typealias Step = @Sendable (Token?, AuthenticationContext) async throws -> Token

    private struct State {
        var steps: [Step] = []
        var replaced: [String] = []
        var revoked: [String] = []
        var decisions: [TokenDecision] = []
        var failures: [Int] = []
        var running = 0
        var mostRunning = 0
    }

    private let state = Mutex(State())

    /// The tokens that were to be replaced, in order.
    var replaced: [String] { state.withLock(\.replaced) }
    var revoked: [String] { state.withLock(\.revoked) }
    var failures: [Int] { state.withLock(\.failures) }
    var mostRunning: Int { state.withLock(\.mostRunning) }

    func add(_ step: @escaping Step) { state.withLock { $0.steps.append(step) } }
    func issue(_ tokens: Token...) { for token in tokens { add { _, _ in token } } }
    func fail(_ error: any Error) { add { _, _ in throw error } }
    func decide(_ decisions: TokenDecision...) { state.withLock { $0.decisions += decisions } }

    func token(replacing old: Token?, context: AuthenticationContext) async throws -> Token {
        let step = state.withLock { state -> Step? in
            state.replaced.append(old?.value ?? "none")
            state.running += 1
            state.mostRunning = max(state.mostRunning, state.running)
            return state.steps.isEmpty ? nil : state.steps.removeFirst()
        }
        defer { state.withLock { $0.running -= 1 } }
        guard let step else { throw Refused(text: "no step is left") }
        return try await step(old, context)
    }

    func decision(after error: any Error, failures: Int) async -> TokenDecision {
        state.withLock { state in
            state.failures.append(failures)
            return state.decisions.isEmpty ? .giveUp : state.decisions.removeFirst()
        }
    }

    func revoke(_ token: Token, context: AuthenticationContext) async throws {
        state.withLock { $0.revoked.append(token.value) }
    }

    struct Refused: Error, Equatable { let text: String }
}

/// A store in memory that records its changes, and fails if a test wants it to.
final class TestStore: TokenStore {
    private struct State {
        var stored: StoredToken?
        var log: [String] = []
        var failure: (any Error)?
    }

    private let state: Mutex<State>
    private let facts = Facts()

    init(_ token: Token? = nil, identity: String = UUID().uuidString) {
        let stored = token.map { StoredToken(token: $0, identity: identity) }
        state = Mutex(State(stored: stored))
    }

    var log: [String] { state.withLock(\.log) }
    var stored: StoredToken? { state.withLock(\.stored) }
    func fail(with error: (any Error)?) { state.withLock { $0.failure = error } }
    func set(_ stored: StoredToken?) { state.withLock { $0.stored = stored } }

    func load() throws -> StoredToken? { state.withLock(\.stored) }

    func save(_ token: StoredToken) async throws {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            state.stored = token
            state.log.append("saved \(token.token.value)")
        }
    }

    func remove() async throws {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            state.stored = nil
            state.log.append("removed")
        }
    }
}
