#if os(Linux)
    import Foundation
    import LoopbackServer
    import TangoCache
    import TangoRequest

    @testable import TestSupport

    /// Errors of responses, and of the cache of a client.
    extension ErrorPage {
        fileprivate struct User: Codable, Sendable {
            let id: Int
            var email: String?
        }

        fileprivate struct Payload: Sendable {}

        fileprivate struct RuleError: Error {}

        fileprivate final class GetUser: Request<User> {
            let site: Client
            let reply: Serializer<User>
            let rule: Validation
            init(_ site: Client, _ reply: Serializer<User> = .default, _ rule: Validation = .default) {
                self.site = site
                self.reply = reply
                self.rule = rule
            }
            override var client: Client { site }
            override var endpoint: Endpoint { .get("/users/1") }
            override var serializer: Serializer<User> { reply }
            override var validation: Validation { rule }
            override var cachePolicy: CachePolicy { site.cache == nil ? .networkOnly : .cacheOnly }
        }

        fileprivate final class GetPhoto: Request<Payload> {
            let site: Client
            init(_ site: Client) { self.site = site }
            override var client: Client { site }
            override var endpoint: Endpoint { .get("/photo") }
            override var serializer: Serializer<Payload> { Serializer { _ in Payload() } }
        }

        fileprivate final class Upload: Request<User> {
            let site: Client
            init(_ site: Client) { self.site = site }
            override var client: Client { site }
            override var endpoint: Endpoint { .post("/users", body: .stream { AsyncStream<Data> { $0.finish() } }) }
        }

        mutating func addResponses() async throws {
            let server = try LoopbackServer()
            let client = Client(baseURL: server.url)
            func get(
                _ answer: Response, _ serializer: Serializer<User> = .default, _ validation: Validation = .default
            ) async throws -> Any {
                server.enqueue(answer)
                return try await GetUser(client, serializer, validation).promise.value
            }
            for status in [301, 401, 403, 404, 429, 422, 500, 503] {
                await add("The status \(status).") { try await get(.status(status)) }
            }
            await add("Another status than the only expected one.") {
                try await get(.json("{}"), .default, .status([201]))
            }
            await add("A page of HTML where JSON is expected.") {
                try await get(.bytes("<html>".utf8, type: "text/html"), .default, .contentType("application/json"))
            }
            await add("A response without a content type.") {
                try await get(
                    Response.raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"), .default,
                    .contentType("application/json"))
            }
            let business = Validation.business(code: "code", success: [0], message: "text")
            await add("The body says that the server refused.") {
                try await get(.json(#"{"code": 1201, "text": "Your account is locked."}"#), .default, business)
            }
            await add("The body has no code for success.") { try await get(.json("{}"), .default, business) }
            await add("The body has a long code.") {
                try await get(.json(#"{"code": "no such user: Ada"}"#), .default, business)
            }
            await add("A validation rule of the application throws.") {
                try await get(.json("{}"), .default, .custom { _ in throw RuleError() })
            }
            await add("A serializer of the application throws.") {
                try await get(.json("{}"), Serializer { (_: HTTPResponse) -> User in throw RuleError() })
            }
            await add("A response without a body.") { try await get(.status(200)) }
            let bodies = [
                ("A string where a number is expected.", #"{"id": "1"}"#), ("A missing name.", "{}"),
                ("`null` where a number is expected.", #"{"id": null}"#),
                ("An array where an object is expected.", "[]"),
                ("A number that does not fit.", #"{"id": 1.5}"#), ("HTML instead of JSON.", "<html></html>"),
                ("Text instead of JSON.", "hello"),
            ]
            for (cause, body) in bodies { await add(cause) { try await get(.json(body)) } }
            await add("A place that is not in the body.") {
                try await get(.json(#"{"data": {}}"#), .json(at: "data.user"))
            }
            await add("A number where a JSON object is expected.") {
                try await get(.json("1"), Serializer<JSONValue>.jsonObject.map { _ in User(id: 1) })
            }
            await add("Text in an unknown charset.") {
                server.enqueue(.bytes([0xff], type: "text/plain; charset=klingon"))
                return try await client.get("/users", as: String.self).value
            }
            await cached(server)
        }

        private mutating func cached(_ server: LoopbackServer) async {
            let client = Client(baseURL: server.url, cache: MemoryStore())
            let plain = Client(baseURL: server.url)
            await add("`cacheOnly`, and the response is not cached.") { try await GetUser(client).promise.value }
            await add("`store(_:)` with a client without a cache.") { try await GetUser(plain).store(User(id: 1)) }
            await add("`send` with `cacheOnly` and a streamed body.") {
                try await client.send(HTTPRequest(.get, server, "/users/1"), cachePolicy: .cacheOnly, delivery: .stream)
            }
            await add("`cacheOnly` with a client without a cache.") {
                try await plain.send(HTTPRequest(.get, server, "/users/1"), cachePolicy: .cacheOnly)
            }
            await add("`store(_:)` with an output that is not `Codable`.") {
                try await GetPhoto(client).store(Payload())
            }
            await add("`store(_:)` for a request whose body is a stream.") {
                try await Upload(client).store(User(id: 1))
            }
        }
    }
#endif
