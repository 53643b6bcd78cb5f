import Foundation
import LoopbackServer
import Tango
import Testing

@testable import TestSupport

// Headers

extension HTTPTypes.HTTPFields {
    init(_ headers: Headers) {
        self.init()
        for (name, value) in headers {
            guard let name = HTTPTypes.HTTPField.Name(name) else { continue }
            append(HTTPTypes.HTTPField(name: name, value: value))
        }
    }
}

extension Headers {
    init(_ fields: HTTPTypes.HTTPFields) {
        self.init(fields.map { field in (name: field.name.rawName, value: field.value) })
    }
}

// Requests and responses

extension HTTPTypes.HTTPRequest {
    init?(_ request: Tango.HTTPRequest) {
        guard let method = Method(request.method.rawValue),
            let url = URLComponents(url: request.url, resolvingAgainstBaseURL: true), let host = url.encodedHost
        else { return nil }
        let path = url.percentEncodedPath.isEmpty ? "/" : url.percentEncodedPath
        self.init(
            method: method, scheme: url.scheme, authority: host + (url.port.map { ":\($0)" } ?? ""),
            path: path + (url.percentEncodedQuery.map { "?\($0)" } ?? ""),
            headerFields: HTTPTypes.HTTPFields(request.headers))
    }
}

extension Tango.HTTPRequest {
    init?(_ request: HTTPTypes.HTTPRequest, body: Body = .none) {
        guard let scheme = request.scheme, let authority = request.authority,
            let url = URL(string: "\(scheme)://\(authority)\(request.path ?? "/")")
        else { return nil }
        self.init(
            method: HTTPMethod(request.method.rawValue), url: url, headers: Headers(request.headerFields), body: body)
    }
}

extension HTTPTypes.HTTPResponse {
    init(_ response: Tango.HTTPResponse) {
        self.init(
            status: Status(code: response.status.code, reasonPhrase: response.reason),
            headerFields: HTTPTypes.HTTPFields(response.headers))
    }
}

extension Tango.HTTPResponse {
    init(_ response: HTTPTypes.HTTPResponse, body: Data) {
        self.init(
            status: HTTPStatus(response.status.code), reason: response.status.reasonPhrase,
            headers: Headers(response.headerFields), body: body)
    }
}

// The transport

struct TangoClientTransport: OpenAPIRuntime.ClientTransport {
    let client: Tango.Client

    func send(
        _ request: HTTPTypes.HTTPRequest, body: OpenAPIRuntime.HTTPBody?, baseURL: URL, operationID: String
    ) async throws -> (HTTPTypes.HTTPResponse, OpenAPIRuntime.HTTPBody?) {
        let base = baseURL.absoluteString
        let text = (base.hasSuffix("/") ? String(base.dropLast()) : base) + (request.path ?? "")
        guard let url = URL(string: text) else { throw URLError(.badURL) }
        let message = Tango.HTTPRequest(
            method: HTTPMethod(request.method.rawValue), url: url, headers: Headers(request.headerFields),
            body: body.map(Body.init) ?? .none)
        let response = try await client.send(message, delivery: .stream)
        let length = response.headers["Content-Length"].flatMap { Int64($0) }
        let portions = response.stream.map { portion in ArraySlice(portion) }
        return (
            HTTPTypes.HTTPResponse(response),
            OpenAPIRuntime.HTTPBody(portions, length: length.map { .known($0) } ?? .unknown, iterationBehavior: .single)
        )
    }
}

extension Body {
    init(_ body: OpenAPIRuntime.HTTPBody) {
        var length: Int?
        if case .known(let count) = body.length { length = Int(count) }
        let portions = body.map { portion in Data(portion) }
        switch body.iterationBehavior {
        case .single: self = .stream(portions, length: length)
        case .multiple: self = .stream(length: length) { portions }
        }
    }
}

/// The code of "HTTP types and OpenAPI", against declarations of the shape of those packages.
@Suite(.timeLimit(.minutes(20))) struct BesideOpenAPISnippets {
    @Test(arguments: [
        "https://api.example.com/a%2Fb?q=1&r=%20", "http://[::1]:8080/", "https://example.com",
    ])
    func requestsAreTheSameAfterBothConversions(url: String) throws {
        let headers: Headers = ["Accept": "a/b", "X-Tag": "1", "x-tag": "2"]
        let request = Tango.HTTPRequest(method: .post, url: try #require(URL(string: url)), headers: headers)
        let converted = try #require(HTTPTypes.HTTPRequest(request))
        #expect(converted.method == .post)
        let name = try #require(HTTPTypes.HTTPField.Name("X-TAG"))
        #expect(converted.headerFields[values: name] == ["1", "2"])
        let back = try #require(HTTPRequest(converted))
        #expect(back.method == .post)
        #expect(back.url.absoluteString == (url.hasSuffix(".com") ? url + "/" : url))
        #expect(back.headers == headers)
        #expect(HTTPRequest(HTTPTypes.HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")) == nil)
    }

    @Test func responsesAreTheSameAfterBothConversions() {
        let response = Tango.HTTPResponse(status: .created, reason: "Created", headers: ["ETag": "1"])
        let back = Tango.HTTPResponse(HTTPTypes.HTTPResponse(response), body: Data("a".utf8))
        #expect(back.status == .created)
        #expect(back.reason == "Created")
        #expect(back.headers == ["ETag": "1"])
        #expect(back.body == Data("a".utf8))
    }

    @Test func transport() async throws {
        let server = try LoopbackServer()
        server.answer("/v1/users", method: "POST") { request in
            .json(request.text, status: 201).header("X-Length", request.headers["Content-Length"] ?? "none")
        }
        server.answer("/v1/users", method: "GET", with: .status(404))
        let transport: any OpenAPIRuntime.ClientTransport = TangoClientTransport(
            client: Tango.Client { $0.retryPolicy = .standard })
        var request = HTTPTypes.HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/users?draft=1")
        request.headerFields.append(
            HTTPTypes.HTTPField(name: try #require(HTTPTypes.HTTPField.Name("Content-Type")), value: "text/plain"))
        let (response, body) = try await transport.send(
            request, body: OpenAPIRuntime.HTTPBody("hello"), baseURL: server.url("/v1/"), operationID: "addUser")
        #expect(response.status.code == 201)
        #expect(server.requests.last?.target == "/v1/users?draft=1")
        #expect(server.requests.last?.headers["Content-Type"] == "text/plain")
        #expect(server.requests.last?.headers["Content-Length"] == "5")
        #expect(body?.length == .known(5))
        var text = ""
        for try await portion in try #require(body) { text += String(decoding: portion, as: UTF8.self) }
        #expect(text == "hello")

        // A body that can be read again is sent again.
        server.enqueue(.status(503), .status(404))
        let portions = AsyncStream<ArraySlice<UInt8>> { $0.finish() }
        let empty = OpenAPIRuntime.HTTPBody(portions, length: .known(0), iterationBehavior: .multiple)
        request = HTTPTypes.HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/users")
        let (missing, _) = try await transport.send(
            request, body: empty, baseURL: server.url("/v1"), operationID: "users")
        #expect(missing.status.code == 404)
        #expect(server.requestCount == 3)
        server.stop()
    }
}
