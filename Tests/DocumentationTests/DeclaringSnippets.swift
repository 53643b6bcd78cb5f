import Foundation
import LoopbackServer
import TangoAuth
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// The code of "Declaring requests", and tests of the claims of that article.
@Suite struct DeclaringSnippets: SampleAPI {
    typealias Request<Output: Sendable> = SampleRequest<Output>

    @Test func endpoints() {
        let user = Endpoint.get("/users/7")
        let search = Endpoint.get("/users", query: ["name": "Ada", "limit": 20])
        let create = Endpoint.post("/posts", body: .json(["title": "Hello"]))
        let purge = Endpoint(method: "PURGE", path: "/cache")
        #expect([user, search, create, purge].map(\.method.rawValue) == ["GET", "GET", "POST", "PURGE"])
    }

    @Test func segments() async throws {
        _ = try await thrown { try await GetFile(name: "a/b?").promise.value }
        #expect(server.requests.contains { $0.target == "/files/a%2Fb%3F" })
    }

    final class GetFile: Request<Data> {
        let name: String
        init(name: String) { self.name = name }
        override var endpoint: Endpoint { .get(PercentEncoding.path(segments: "files", name)) }
    }

    @Test(arguments: ["/a\nb", "ftp://example.com/", "http://exa mple.com/", "/a/%2e%2e/b"])
    func invalidPathsAreRejected(_ path: String) async throws {
        let client = client
        let error = try await thrown { try await client.get(path, as: Data.self).value }
        #expect(error.code == .badURL)
        #expect(error.phase == .prepare)
    }

    @Test func levels() throws {
        let api = Client(baseURL: URL(string: "https://api.example.com")) {
            $0.headers = ["Accept": "application/json"]
            $0.timeouts = Timeouts(connect: .seconds(5), idle: .seconds(30))
        }

        final class GetReport: Request<Data> {
            override var endpoint: Endpoint { .get("/report") }
            override var headers: Headers { ["Accept": "application/pdf"] }
            override var timeouts: Timeouts { Timeouts(idle: nil, total: .seconds(300)) }
        }
        #expect(api.configuration.timeouts.total == nil)
        let patient = api.with { $0.timeouts.idle = .seconds(120) }
        let staging = api.with(baseURL: URL(string: "https://staging.example.com"))
        #expect(staging.baseURL?.host() == "staging.example.com")
        #expect(patient.configuration.timeouts == Timeouts(connect: .seconds(5), idle: .seconds(120)))
        #expect(GetReport().timeouts.connect == .seconds(15))
        #expect(GetReport().validation.refuses(status: 300))
    }

    @Test func baseClasses() {
        class AccountRequest<Output: Sendable>: Request<Output> {
            var tenant = "main"
            override var client: Client { .accounts }
            override var headers: Headers { ["X-Tenant": tenant] }
            override var errorSerializer: ErrorSerializer? { .json(APIError.self) { error in error.reason } }
        }

        final class GetAccount: AccountRequest<User> {
            override var endpoint: Endpoint { .get("/users/1") }
        }
        #expect(GetAccount().client.baseURL?.host == "accounts.example.com")
        #expect(GetAccount().headers["x-tenant"] == "main")
        let error = RequestError(
            .badStatus, phase: .decode, detail: "", response: HTTPResponse(#"{"reason": "closed"}"#))
        #expect(GetAccount().errorSerializer?.refine(error).message == "closed")
    }

    @Test func envelopes() async throws {
        class EnvelopeRequest<Output: Decodable & Sendable>: Request<Output> {
            override var serializer: Serializer<Output> { .json(at: "data.items") }
            override var validation: Validation { super.validation + .business(code: "code", success: [0]) }
        }
        final class Search: EnvelopeRequest<[User]> {
            override var endpoint: Endpoint { .get("/search") }
        }
        #expect(try await Search().promise.value.count == 1)
    }

    @Test func coding() throws {
        let coding = JSONCoding(
            makeDecoder: {
                let decoder = JSONCoding.makeDefaultDecoder()
                decoder.keyDecodingStrategy = .convertFromSnakeCase
                return decoder
            })
        let snake = Client(baseURL: URL(string: "https://api.example.com")) { $0.json = coding }
        #expect(snake.configuration.json.decoder !== snake.configuration.json.decoder)
        struct Item: Decodable { let createdAt: Date }
        let item = try snake.configuration.json.decoder.decode(
            Item.self, from: Data(#"{"created_at": "1970-01-01T00:00:07Z"}"#.utf8))
        #expect(item.createdAt == Date(timeIntervalSince1970: 7))
    }

    @Test func queries() throws {
        let name: String? = nil
        let query: Query = ["name": name, "tags": ["a", "b"], "draft": true, "in": ["from": 1, "to": 9]]
        #expect(try query.encoded() == "tags=a&tags=b&draft=true&in%5Bfrom%5D=1&in%5Bto%5D=9")
    }

    @Test func queriesOfVariables() throws {
        enum Sort: String { case newest, oldest }
        struct Filter: Encodable { var author = 3, tags = ["a", "b"] }

        let limits = ["min": 1, "max": 9]
        let parameters = ["q": "Ada", "sort": "newest"]
        let list = Endpoint.get("/posts", query: ["sort": Sort.newest, "in": limits])
        let search = Endpoint.get("/posts", query: parameters)
        let filtered = Endpoint.get("/posts", query: Query(encoding: Filter()) + ["page": 2])
        #expect(try list.query.encoded() == "sort=newest&in%5Bmax%5D=9&in%5Bmin%5D=1")
        #expect(try search.query.encoded() == "q=Ada&sort=newest")
        #expect(try filtered.query.encoded() == "author=3&tags=a&tags=b&page=2")
    }

    @Test func addingHeaders() {
        class SignedRequest<Output: Sendable>: Request<Output> {
            override var headers: Headers { ["Authorization": "Bearer 1", "Accept": "application/json"] }
        }

        final class Export: SignedRequest<Data> {
            override var endpoint: Endpoint { .get("/export") }
            override var headers: Headers { super.headers + ["Accept": "text/csv", "X-Extra": "1"] }
        }
        #expect(Export().headers == ["Authorization": "Bearer 1", "Accept": "text/csv", "X-Extra": "1"])
    }

    @Test func authorization() {
        let ada = Client { $0.headers = .basicAuthorization(user: "ada", password: "secret") }
        let signed: Headers = .bearerAuthorization(token: "1") + ["Accept": "application/json"]
        #expect(ada.configuration.headers["Authorization"] == "Basic YWRhOnNlY3JldA==")
        #expect(signed.all("authorization") == ["Bearer 1"])
    }

    /// The rows of the table of styles.
    @Test(
        arguments: [
            (QueryStyle(), ["tags": ["a", "b"]], "tags=a&tags=b"),
            (QueryStyle(arrays: .brackets), ["tags": ["a", "b"]], "tags%5B%5D=a&tags%5B%5D=b"),
            (QueryStyle(arrays: .indexed), ["tags": ["a", "b"]], "tags%5B0%5D=a&tags%5B1%5D=b"),
            (QueryStyle(arrays: .commas), ["tags": ["a", "b"]], "tags=a,b"),
            (QueryStyle(), ["in": ["from": 1]], "in%5Bfrom%5D=1"),
            (QueryStyle(nesting: .dots), ["in": ["from": 1]], "in.from=1"),
            (QueryStyle(), ["draft": true], "draft=true"),
            (QueryStyle(booleans: .digits), ["draft": true], "draft=1"),
            (QueryStyle(booleans: .yesNo), ["draft": true], "draft=yes"),
            (QueryStyle(), ["at": moment], "at=1970-01-01T00%3A00%3A01.500Z"),
            (QueryStyle(dates: .seconds), ["at": moment], "at=1.5"),
            (QueryStyle(dates: .milliseconds), ["at": moment], "at=1500"),
            (QueryStyle(dates: .custom { _ in "then" }), ["at": moment], "at=then"),
            (QueryStyle(), ["name": nil], ""),
            (QueryStyle(nulls: .empty), ["name": nil], "name="),
            (QueryStyle(nulls: .nameOnly), ["name": nil], "name"),
            (QueryStyle(nulls: .word), ["name": nil], "name=null"),
            (QueryStyle(), ["q": "a b"], "q=a%20b"),
            (QueryStyle(spaces: .percent), ["q": "a b"], "q=a%20b"),
            (QueryStyle(spaces: .plus), ["q": "a b"], "q=a+b"),
            (QueryStyle(), ["b": 1, "a": 2], "b=1&a=2"),
            (QueryStyle(order: .sorted), ["b": 1, "a": 2], "a=2&b=1"),
        ] as [(QueryStyle, Query, String)])
    func styles(_ style: QueryStyle, _ query: Query, _ text: String) throws {
        #expect(try query.encoded(style) == text)
    }

    @Test func styleOfARequest() async throws {
        final class ListPosts: Request<[Post]> {
            override var endpoint: Endpoint { .get("/posts", query: ["tags": ["a", "b"], "draft": true]) }
            override var queryStyle: QueryStyle { QueryStyle(arrays: .commas, booleans: .digits) }
        }
        struct Filter: Encodable { var authorID = 3, sortOrder = "name" }
        final class FindPosts: Request<[Post]> {
            override var endpoint: Endpoint { .get("/posts", query: Query(encoding: Filter())) }
            override var queryStyle: QueryStyle { QueryStyle(names: .snakeCase) }  // author_id=3&sort_order=name
        }
        _ = try await ListPosts().promise.value
        #expect(server.requests.contains { $0.target == "/posts?tags=a,b&draft=1" })
        _ = try await FindPosts().promise.value
        #expect(server.requests.contains { $0.target == "/posts?author_id=3&sort_order=name" })
    }

    @Test func headers() {
        var headers: Headers = ["Accept": "text/html", "X-Tag": "a", "X-Tag": "b"]
        headers["accept"] = "text/plain"
        headers.append(name: "X-Tag", value: "c")
        let tags = headers.all("x-tag")  // ["a", "b", "c"]
        #expect(tags == ["a", "b", "c"])
        #expect(headers["Accept"] == "text/plain")
    }

    @Test func sentQueriesAndHeaders() async throws {
        final class Echo: Request<String> {
            override var client: Client {
                Client(baseURL: Sample.server.url) {
                    $0.headers = ["A": "client", "B": "client"]
                }
            }
            override var endpoint: Endpoint { .post("/echo", headers: ["C": "endpoint"], body: .json(["a": 1])) }
            override var headers: Headers { ["B": "request", "C": "request"] }
        }
        _ = try await Echo().promise.value
        let sent = try #require(server.requests.last { $0.path == "/echo" && $0.headers["C"] == "endpoint" })
        #expect(sent.headers["A"] == "client")
        #expect(sent.headers["B"] == "request")
        #expect(sent.headers["Content-Type"] == "application/json")
        let names = Set(sent.headers.map(\.name))
        #expect(
            names == ["Host", "User-Agent", "A", "B", "C", "Content-Type", "Content-Length", "Accept-Encoding"])
    }

    @Test func credentials() throws {
        let token = "secret"
        let shop = Client(baseURL: URL(string: "https://api.example.com")) {
            $0.headers = .bearerAuthorization(token: token)
            $0.trustedOrigins = ["https://images.example.com"]
        }
        let allowed = ["https://api.example.com/a", "https://images.example.com/b.png"]
        let others = ["http://api.example.com/a", "https://api.example.com:8443/a", "https://example.com/"]
        for text in allowed + others {
            let url = try #require(URL(string: text))
            #expect(shop.allowsCredentials(for: url) == allowed.contains(text))
        }
    }

    @Test func invalidHeadersAreRejected() async throws {
        let client = client
        let error = try await thrown {
            try await client.get("/users/1", headers: ["X-Name": "Ada\r\nX-Admin: yes"], as: Data.self).value
        }
        #expect(error.code == .badHeader)
    }
}

private let moment = Date(timeIntervalSince1970: 1.5)

extension Client {
    static let accounts = Client(baseURL: URL(string: "https://accounts.example.com"))
}

extension Validation {
    fileprivate func refuses(status: HTTPStatus) -> Bool {
        (try? check(HTTPResponse(status: status))) == nil
    }
}
