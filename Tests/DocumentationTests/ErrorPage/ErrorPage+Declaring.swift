#if os(Linux)
    import Foundation
    import TangoRequest

    @testable import TestSupport

    /// Errors of requests that are never sent.
    extension ErrorPage {
        fileprivate struct User: Codable, Sendable {
            var name = "Ada"
        }

        fileprivate class ExampleRequest<Output: Sendable>: Request<Output> {
            override var client: Client { ErrorPage.example }
        }

        fileprivate final class GetUser: ExampleRequest<User> {}

        fileprivate final class GetTitle: ExampleRequest<Title> {
            override var endpoint: Endpoint { .get("/title") }
        }

        fileprivate struct Title: Sendable {}

        fileprivate struct Node: Encodable, Sendable {
            func encode(to encoder: any Encoder) throws {
                var fields = encoder.container(keyedBy: Name.self)
                try fields.encode(Node(), forKey: .next)
            }

            enum Name: CodingKey { case next }
        }

        fileprivate struct Failing: Encodable, Sendable {
            func encode(to encoder: any Encoder) throws { throw CocoaError(.coderInvalidValue) }
        }

        fileprivate static let example = client()

        fileprivate static func client(
            _ base: String = "https://api.example.com", _ change: (inout Client.Configuration) -> Void = { _ in }
        ) -> Client {
            Client(baseURL: URL(string: base), configure: change)
        }

        mutating func addUnsent() async {
            await declarations()
            await urls()
            await values()
            await heads()
            await bodies()
        }

        private mutating func declarations() async {
            await add("A request does not override `endpoint`.") { try await GetUser().promise.value }
            await add("The output of a request is not `Decodable`.") { try await GetTitle().promise.value }
            await add("A path, and a client without a base URL.") {
                try await Client().get("/users", as: User.self).value
            }
            await add("A timeout of zero.") {
                let client = Self.client { $0.timeouts = Timeouts(connect: .zero) }
                return try await client.get("/users", as: User.self).value
            }
            await add("An idle timeout of zero.") {
                let client = Self.client { $0.timeouts = Timeouts(idle: .zero) }
                return try await client.get("/users", as: User.self).value
            }
            await add("A total timeout of zero.") {
                let client = Self.client { $0.timeouts = Timeouts(total: .zero) }
                return try await client.get("/users", as: User.self).value
            }
            await add("A retry policy without an attempt.") {
                let client = Self.client { $0.retryPolicy = .exponential(attempts: 0) }
                return try await client.get("/users", as: User.self).value
            }
            for text in ["cdn.example.com", "https://cdn.example.com/images", "ftp://cdn.example.com"] {
                await add("`trustedOrigins` contains `\(text)`.") {
                    try await Self.client { $0.trustedOrigins = [text] }.get("/users", as: User.self).value
                }
            }
        }

        private mutating func urls() async {
            let paths = [
                ("A line break in a path.", "/users\n1"), ("A segment `..` in a path.", "/users/../admin"),
                ("An encoded segment `..` in a path.", "/users/%2e%2e/admin"),
                ("One slash after the colon.", "https:/example.com"), ("A URL without a scheme.", "://example.com"),
                ("A port above 65535.", "https://example.com:99999/"), ("A URL without a host.", "https:///users"),
                ("A host that is not ASCII.", "https://exämple.com/"), ("The scheme `ftp`.", "ftp://example.com/"),
            ]
            for (cause, path) in paths {
                await add(cause) { try await Self.example.get(path, as: User.self).value }
            }
            await add("A base URL without a scheme.") {
                try await Self.client("api.example.com").get("/users", as: User.self).value
            }
            await add("A base URL with another scheme.") {
                try await Self.client("file:///tmp").get("/users", as: User.self).value
            }
            await add("A base URL that begins with `localhost:`.") {
                try await Self.client("localhost:8080").get("/users", as: User.self).value
            }
            let urls = [
                "users", "ftp://example.com/", "http:/users", "http://example.com:99999/",
                "http://ex%41mple.com/", "http://a..b/", "http://1.2.3.4.5/", "http://0x7f.1/", "http://[v1.a]/",
                "http://[::1%25]/", "http://a!b/",
            ]
            for text in urls {
                guard let url = URL(string: text) else { continue }
                await add("A message to `\(text)`.") { try await Self.example.send(HTTPRequest(url: url)) }
            }
        }

        private mutating func values() async {
            func get(_ query: Query) async throws -> Any {
                try await Self.example.get("/users", query: query, as: User.self).value
            }
            await add("An infinite number in a query.") { try await get(["ratio": Double.infinity]) }
            await add("A value in a query that is not `Encodable`.") { try await get(["title": Title()]) }
            await add("A list as a query.") { try await get(Query(encoding: [1, 2])) }
            await add("A value in a query that throws while it is encoded.") {
                try await get(Query(encoding: Failing()))
            }
            await add("A value in a query that contains itself.") { try await get(Query(encoding: Node())) }
            await add("A date after the year 9999 in a query.") { try await get(["day": Date.distantFuture * 4]) }
            await add("A list of objects in a query, in the style of commas.") {
                let client = Self.client { $0.queryStyle.arrays = .commas }
                return try await client.get("/users", query: ["all": [["a": 1]]], as: User.self).value
            }
            func post(_ body: Body) async throws -> Any {
                try await Self.example.post("/users", body: body, as: User.self).value
            }
            await add("An infinite number in a body.") { try await post(.json(["ratio": Double.infinity])) }
            await add("An infinite number as a body.") { try await post(.json(Double.infinity)) }
            await add("An infinite number in a form.") { try await post(.form(["ratio": Double.infinity])) }
            await add("A value of a body that throws while it is encoded.") { try await post(.json(Failing())) }
        }

        private mutating func heads() async {
            func send(_ method: HTTPMethod = .get, _ headers: Headers = [:], body: Body = .none) async throws -> Any {
                try await Self.example.send(
                    HTTPRequest(
                        method: method, url: URL(string: "https://api.example.com/users")!, headers: headers, body: body
                    ))
            }
            await add("A method with a space.") { try await send("GET IT") }
            await add("A header name with a space.") { try await send(.get, ["X Name": "a"]) }
            await add("A line break in the value of a header.") { try await send(.get, ["X-Name": "a\nb"]) }
            await add("A header of two megabytes.") {
                try await send(.get, ["X-Name": String(repeating: "a", count: 2_000_000)])
            }
            await add("A URL of two megabytes.") {
                let query: Query = ["text": String(repeating: "a", count: 2_000_000)]
                do {
                    return try await Self.example.get("/users", query: query, as: User.self).value
                } catch var error as RequestError {
                    error.request = nil
                    throw error
                }
            }
            await add("A body in a `HEAD` request.") { try await send(.head, body: .string("a")) }
            await add("A body in a `TRACE` request.") { try await send(.trace, body: .string("a")) }
        }

        private mutating func bodies() async {
            let folder = TemporaryFolder()
            func post(_ body: Body) async throws -> Any {
                try await Self.example.post("/users", body: body, as: User.self).value
            }
            func multipart(_ part: Multipart.Part) async throws -> Any { try await post(.multipart([part])) }
            await add("A body from a file that does not exist.") {
                try await post(.file(folder.url.appendingPathComponent("a.txt")))
            }
            await add("A body from a folder.") { try await post(.file(folder.url)) }
            await add("A body from a URL that is not a file.") {
                try await post(.file(URL(string: "https://example.com/a.txt")!))
            }
            await add("A part from a file that does not exist.") {
                try await multipart(.file(folder.url.appendingPathComponent("a.txt"), named: "photo"))
            }
            await add("A part from a folder.") { try await multipart(.file(folder.url, named: "photo")) }
            await add("A part from a device.") {
                try await multipart(.file(URL(fileURLWithPath: "/dev/null"), named: "photo"))
            }
            await add("A part from a URL that is not a file.") {
                try await multipart(.file(URL(string: "https://example.com/a.txt")!, named: "photo"))
            }
            func text(_ header: String, _ value: String) async throws -> Any {
                try await multipart(.text("a", named: "title", headers: [(header, value)]))
            }
            await add("A part with an invalid header name.") { try await text("X Name", "a") }
            await add("A part with a line break in a header.") { try await text("X-Name", "a\nb") }
            await add("A part with a content type in its headers.") { try await text("Content-Type", "text/plain") }
            await add("A boundary with an umlaut.") { try Multipart(boundary: "ä") }
        }
    }

    extension Date {
        fileprivate static func * (date: Date, factor: Double) -> Date {
            Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate * factor)
        }
    }
#endif
