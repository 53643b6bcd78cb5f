#if os(Linux)
    import Foundation
    import LoopbackServer
    import TangoPromise
    import Testing
    import TangoAuth

    @testable import TangoRequest
    @testable import TestSupport

    /// OAuth 2 below the authenticator of a client.
    @Suite(.timeLimit(.minutes(20)))
    struct OAuthSessionTests {
        private func endpoint(_ store: (any TokenStore)? = nil, _ oauth: (TokenEndpoint) throws -> OAuth2) throws
            -> (TokenEndpoint, TokenAuthenticator, Client)
        {
            let endpoint = try TokenEndpoint()
            let session = TokenAuthenticator(try oauth(endpoint), store: store)
            return (endpoint, session, endpoint.client.with { $0.authenticator = session })
        }

        @Test func callGetsItsTokenFirst() async throws {
            let (endpoint, session, client) = try endpoint { try $0.oauth(.clientCredentials(scopes: ["read"])) }
            endpoint.server.answer("/token", with: .json(TokenEndpoint.token))
            endpoint.server.answer("/data") { .text($0.headers["authorization"] ?? "none") }
            #expect(try await client.get("/data", as: String.self).value == "Bearer first")
            #expect(session.token?.refreshToken == "r-1234567")
            #expect(endpoint.server.requests.map(\.path) == ["/token", "/data"])
        }

        @Test func revokedGrantSignsTheUserOut() async throws {
            let store = MemoryTokenStore(
                StoredToken(
                    token: Token("old", refreshToken: "r-0000000", expires: .distantPast), identity: UUID().uuidString))
            let (endpoint, session, client) = try endpoint(store) { try $0.oauth(.refreshToken) }
            endpoint.server.answer(
                "/token", with: .json(#"{"error":"invalid_grant","error_description":"gone"}"#, status: 400))
            let error = await refusal { try await client.get("/data", as: String.self).value }
            #expect(error?.code == .signInRequired)
            #expect((error?.underlying as? OAuthError)?.code == .invalidGrant)
            #expect((error?.underlying as? OAuthError)?.detail == "gone")
            #expect(session.token == nil)
            #expect(try store.load() == nil)
        }

        @Test func failingServerIsAskedAgain() async throws {
            let (endpoint, _, client) = try endpoint { try $0.oauth(.clientCredentials()) }
            endpoint.server.enqueue(
                .status(503).header("Retry-After", "7"), .status(500), .json(TokenEndpoint.token), .text("data"))
            let call = Task { try await client.get("/data", as: String.self).value }
            // The limit of the hold sleeps too.
            await endpoint.clock.sleepers(2)
            endpoint.clock.advance(by: .seconds(7))
            await endpoint.clock.sleepers(2)
            endpoint.clock.advance(by: .seconds(2))
            #expect(try await call.value == "data")
            #expect(endpoint.server.requests.map(\.path) == ["/token", "/token", "/token", "/data"])
        }

        @Test func signingOutRevokesTheTokens() async throws {
            let store = MemoryTokenStore(
                StoredToken(token: Token("first", refreshToken: "r-1234567"), identity: UUID().uuidString))
            let (endpoint, session, client) = try endpoint(store) { try $0.oauth(.refreshToken) }
            endpoint.server.answer("/revoke", with: .status(200))
            try await client.signOut()
            #expect(session.token == nil)
            #expect(try store.load() == nil)
            #expect(endpoint.server.requests.map(\.path) == ["/revoke", "/revoke"])
        }

        @Test func failedRevocationIsReportedAndSignsOutAllTheSame() async throws {
            let store = MemoryTokenStore(
                StoredToken(token: Token("first", refreshToken: "r-1234567"), identity: UUID().uuidString))
            let (endpoint, session, client) = try endpoint(store) { try $0.oauth(.refreshToken) }
            endpoint.server.answer("/revoke", with: .status(500))
            await #expect(throws: (any Error).self) { try await client.signOut() }
            #expect(session.token == nil)
            #expect(try store.load() == nil)
        }

        /// Two processes have one file with an expired token, and a server that accepts each refresh token once.
        @Test func processesWithOneFileRequestOneToken() async throws {
            let files = ScratchFiles()
            let url = files.url.appending(path: "token")
            try await FileTokenStore(url).save(
                StoredToken(
                    token: Token("old", refreshToken: "r-0000000", expires: .distantPast), identity: UUID().uuidString))
            let endpoint = try TokenEndpoint()
            let gate = Gate()
            endpoint.server.answer("/token", with: Response.json(TokenEndpoint.token).held(by: gate))
            endpoint.server.answer("/data") { .text($0.headers["authorization"] ?? "none") }

            let one = Task {
                try await RequestChild("tokenCall", endpoint.server.url.absoluteString, url.path)
            }
            let other = Task {
                try await RequestChild("tokenCall", endpoint.server.url.absoluteString, url.path)
            }
            try await gate.reached()
            gate.open()
            for child in [try await one.value, try await other.value] {
                #expect(child["received"] == "Bearer first")
                #expect(child.status == 0)
            }
            let paths = endpoint.server.requests.map(\.path).sorted()
            #expect(paths == ["/data", "/data", "/token"])
            #expect(try FileTokenStore(url).load()?.token.refreshToken == "r-1234567")
        }
    }
#endif
