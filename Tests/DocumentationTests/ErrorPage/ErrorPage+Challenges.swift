#if os(Linux)
    import Foundation
    import LoopbackServer
    import TangoRequest
    import TangoAuth

    @testable import TestSupport

    /// Errors of challenges, of fixed credentials and of signatures.
    extension ErrorPage {
        mutating func addChallenges() async throws {
            let server = try LoopbackServer()
            server.answer("/negotiate", with: .status(401).header("WWW-Authenticate", "Negotiate, NTLM"))
            server.answer("/basic", with: .status(401).header("WWW-Authenticate", "Basic realm=\"a\""))
            let protected = "Digest realm=\"a\", nonce=\"b\", qop=\"auth-int\""
            server.answer("/protected", with: .status(401).header("WWW-Authenticate", protected))
            func send(
                _ path: String, _ authenticator: any Authenticator, _ body: Body = .none, at host: String? = nil
            ) async throws -> Any {
                let client = Client(baseURL: host.flatMap { URL(string: "http://\($0):\(server.port)") } ?? server.url)
                {
                    $0.transport = CurlTransport(
                        CurlConfiguration(proxy: .direct, addresses: ["api.example.com": ["127.0.0.1"]]))
                    $0.authenticator = authenticator
                }
                return try await client.post(path, body: body, as: Data.self).value
            }
            await add("A server that requires `Negotiate`.") {
                try await send("/negotiate", .challenges(user: "ada", password: "secret"))
            }
            await add("A server that requires `Basic` of an authenticator for `Digest`.") {
                try await send("/basic", .digest(user: "ada", password: "secret"))
            }
            await add("A server that requires `Basic` over `http`.") {
                try await send(
                    "/basic", .challenges(user: "ada", password: "secret"), at: "api.example.com")
            }
            await add("A server that requires another scheme than `Basic`.") {
                try await send("/negotiate", .basic(user: "ada", password: "secret"))
            }
            await add("A stream whose integrity the server requires.") {
                let stream = Body.stream { AsyncStream<Data> { $0.finish() } }
                return try await send("/protected", .digest(user: "ada", password: "secret"), stream)
            }
            await add("A user with a colon in its name.") {
                try await send("/basic", .basic(user: "a:b", password: "secret"))
            }
            await add("A password with a line break.") {
                try await send("/basic", .basic(user: "ada", password: "a\nb"))
            }
            await add("An empty token.") { try await send("/basic", .bearer("")) }
            await add("A stream that has to be signed.") {
                let client = Client(baseURL: server.url) {
                    $0.attemptInterceptors = [SigningInterceptor(HMACSignature(key: Data("key".utf8)))]
                }
                let stream = Body.stream { AsyncStream<Data> { $0.finish() } }
                return try await client.post("/users", body: stream, as: Data.self).value
            }
        }
    }
#endif
