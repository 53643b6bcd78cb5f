import Foundation
import LoopbackServer
import Synchronization
import TangoAuth
import TangoCache
import TangoCookies
import TangoRequest
import Testing

@testable import TestSupport

/// Responses to requests with credentials. If the client has no identity, other credentials do not share them.
@Suite(.timeLimit(.minutes(20))) struct CredentialTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.answer("/me") { request in
            let names = ["Cookie", "Authorization", "X-Api-Key", "x-auth-token", "Proxy-Authorization", "X-Signature"]
            let sent = names.compactMap { name in request.headers[name].map { "\(name)=\($0)" } }
            let query = request.query.map { "?\($0)" } ?? ""
            return .text("for \(sent.joined(separator: " "))\(query)").header("Cache-Control", "max-age=86400")
        }
    }

    /// An interceptor that adds a header or a query item of the user who is signed in.
    private final class Signing: Interceptor {
        enum Way: Sendable {
            case header(String)
            case query(String)
        }

        private let way: Way
        private let keepsRequest: Bool
        private let user = Mutex("alice")

        /// - Parameter keepsRequest: A Boolean value that indicates whether the response still has its request.
        init(_ way: Way, keepsRequest: Bool = true) {
            self.way = way
            self.keepsRequest = keepsRequest
        }

        func signIn(_ name: String) { user.withLock { $0 = name } }

        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            var signed = request
            let user = user.withLock(\.self)
            switch way {
            case .header(let name): signed.headers[name] = user
            case .query(let name): signed.url.append(queryItems: [URLQueryItem(name: name, value: user)])
            }
            let response = try await next(signed)
            if keepsRequest { return response }
            return HTTPResponse(status: response.status, headers: response.headers, body: response.body)
        }
    }

    private final class GetMe: Request<String> {
        let owner: Client
        let fields: Headers
        init(_ owner: Client, _ fields: Headers = [:]) {
            self.owner = owner
            self.fields = fields
        }
        override var client: Client { owner }
        override var headers: Headers { fields }
        override var endpoint: Endpoint { .get("/me") }
    }

    static let policies: [CachePolicy] = [.http, .cacheElseNetwork]

    private func client(
        _ policy: CachePolicy, headers: Headers = [:], identity: String? = nil, interceptors: [any Interceptor] = [],
        attemptInterceptors: [any Interceptor] = [], store: MemoryStore = MemoryStore()
    ) -> Client {
        Client(baseURL: server.url, cache: store) {
            $0.headers = headers
            $0.cachePolicy = policy
            $0.identity = identity
            $0.interceptors = interceptors
            $0.attemptInterceptors = attemptInterceptors
        }
    }

    @Test(arguments: policies)
    func responseWithoutACookieIsNotServedForACookie(_ policy: CachePolicy) async throws {
        let client = client(policy)
        for cookie in [nil, "sid=alice", "sid=bob", nil, "sid=alice"] {
            let fields: Headers = cookie.map { ["Cookie": $0] } ?? [:]
            let text = try await GetMe(client, fields).promise.value
            #expect(text == "for \(cookie.map { "Cookie=\($0)" } ?? "")")
            await client.finishStoring()
        }
        #expect(server.requestCount == 3)
    }

    @Test(arguments: policies, ["X-Api-Key", "X-API-KEY", "x-auth-token", "Proxy-Authorization", "Authorization"])
    func eachCredentialInAHeaderHasItsOwnResponses(_ policy: CachePolicy, _ name: String) async throws {
        let client = client(policy)
        for user in ["alice", "bob", "alice"] {
            let text = try await GetMe(client, [name: user]).promise.value
            #expect(text.lowercased() == "for \(name)=\(user)".lowercased())
            await client.finishStoring()
        }
        #expect(server.requestCount == 2)
    }

    @Test(arguments: policies, ["X-Api-Key", "Cookie"])
    func clientsWithDifferentCredentialsDoNotShareResponses(_ policy: CachePolicy, _ name: String) async throws {
        let store = MemoryStore()
        for user in ["alice", "bob"] {
            let client = client(policy, headers: [name: user], store: store)
            #expect(try await GetMe(client).promise.value == "for \(name)=\(user)")
            await client.finishStoring()
        }
    }

    @Test(
        arguments: policies,
        [Signing.Way.header("X-Api-Key"), .header("X-Signature"), .header("cookie"), .query("access_token")])
    private func usersOfASigningInterceptorDoNotShareResponses(_ policy: CachePolicy, _ way: Signing.Way) async throws {
        for (isAttempt, keepsRequest) in [(false, true), (true, true), (false, false), (true, false)] {
            let signing = Signing(way, keepsRequest: keepsRequest)
            let client = client(
                policy, interceptors: isAttempt ? [] : [signing], attemptInterceptors: isAttempt ? [signing] : [])
            for user in ["alice", "bob", "alice"] {
                signing.signIn(user)
                #expect(try await GetMe(client).promise.value.hasSuffix("=\(user)"), "\(isAttempt) \(keepsRequest)")
                await client.finishStoring()
            }
        }
    }

    /// Credentials may change while the identity stays the same.
    @Test(arguments: policies, ["Authorization", "Cookie", "X-Api-Key"])
    func identityReplacesTheCredentials(_ policy: CachePolicy, _ name: String) async throws {
        let client = client(policy, identity: "alice")
        for token in ["1", "2"] {
            #expect(try await GetMe(client, [name: token]).promise.value == "for \(name)=1")
            await client.finishStoring()
        }
        #expect(server.requestCount == 1)
    }

    @Test(arguments: policies)
    func storeContainsNoCredentials(_ policy: CachePolicy) async throws {
        let store = MemoryStore()
        let client = client(policy, store: store)
        let fields: Headers = ["Cookie": "secret-word", "X-Api-Key": "secret-word", "Authorization": "secret-word"]
        server.answer("/me", with: .text("a").header("Cache-Control", "max-age=9").header("Vary", "X-Api-Key, Cookie"))
        _ = try await GetMe(client, fields).promise.value
        await client.finishStoring()
        var count = 0
        for try await item in store.entries() {
            let entry = try #require(try await store.get(item.key))
            #expect(!"\(entry.metadata) \(item.key)".contains("secret-word"))
            count += 1
        }
        #expect(count == 1)
    }
}
