#if os(Linux)
    import Foundation
    import LoopbackServer
    import TangoPromise
    import TangoAuth

    @testable import TangoRequest
    @testable import TestSupport

    /// Errors of credentials.
    extension ErrorPage {
        mutating func addSigningIn() async throws {
            let server = try LoopbackServer()
            server.answer("/users", with: .status(401))
            func client(_ authenticator: any Authenticator, _ clock: any Clock<Duration> = ContinuousClock()) -> Client
            {
                Client(baseURL: server.url) {
                    $0.transport = CurlTransport(CurlConfiguration(proxy: .direct))
                    $0.authenticator = authenticator
                    $0.clock = clock
                }
            }
            let source = ScriptedSource()
            await add("A request that needs a token, and a user who has not signed in.") {
                source.fail(RequestError.signInRequired)
                return try await client(TokenAuthenticator(source)).get("/users", as: Data.self).value
            }
            await add("A server of tokens that cannot be reached.") {
                source.fail(RequestError(.cannotConnect, phase: .connect, detail: "no server listens there"))
                return try await client(TokenAuthenticator(source)).get("/users", as: Data.self).value
            }
            await add("A token that cannot be renewed, so that the user is signed out.") {
                source.fail(RequestError(.badStatus, phase: .receive, detail: "the server refused the refresh token"))
                source.decide(.signOut)
                return try await client(TokenAuthenticator(source)).get("/users", as: Data.self).value
            }
            await add("A server of tokens that takes longer than a call may be held.") {
                let clock = ManualClock()
                let gate = Gate()
                defer { gate.open() }
                source.add { _, _ in
                    try await gate.opened()
                    return Token("a")
                }
                let call = Fetch<Data>(.get("/users"), of: client(TokenAuthenticator(source), clock)).start()
                try await gate.reached()
                clock.advance(by: .seconds(60))
                return try await call.value
            }
            await add("A user who signs out while a call waits for a token.") {
                let gate = Gate()
                defer { gate.open() }
                source.add { _, _ in
                    try await gate.opened()
                    return Token("a")
                }
                let client = client(TokenAuthenticator(source))
                let call = Fetch<Data>(.get("/users"), of: client).start()
                try await gate.reached()
                try await client.signOut()
                return try await call.value
            }
            await add("A rejected token, and a body that can be sent once.") {
                source.issue(Token("b"))
                let authenticator = TokenAuthenticator(source, store: TestStore(Token("a")))
                let body = Body.stream(Portions([Data("Ada".utf8)]))
                return try await client(authenticator).post("/users", body: body, as: Data.self).value
            }
            for pattern in ["api.example.com", "https://api.example.com/*/users"] as [ServicePattern] {
                await add("An authenticator for the service `\(pattern)`.") {
                    try await client(.services([pattern: TokenAuthenticator(source)])).get("/users", as: Data.self)
                        .value
                }
            }
        }
    }
#endif
