import LoopbackServer
import Testing

@testable import TangoFoundation
@testable import TestSupport

/// `URLRequest` and `HTTPURLResponse`, in and out.
@Suite(.timeLimit(.minutes(20)))
struct MessageTests {
    private let url: URL

    init() throws {
        url = try #require(URL(string: "https://example.com/a?b=%20c"))
    }

    private func urlRequest(_ change: (inout URLRequest) -> Void = { _ in }) throws -> URLRequest {
        var request = URLRequest(url: url)
        change(&request)
        return request
    }

    @Test(arguments: ["GET", "POST", "PURGE", "MKCOL", "M-SEARCH"])
    func methodOfAnyKindPassesBothWays(_ name: String) throws {
        let message = try HTTPRequest(urlRequest { $0.httpMethod = name })
        #expect(message.method == HTTPMethod(name))
        #expect(try message.urlRequest().httpMethod == name)
    }

    @Test func messageHasTheWholeRequest() throws {
        let message = try HTTPRequest(
            urlRequest {
                $0.httpMethod = "PUT"
                $0.setValue("text/plain", forHTTPHeaderField: "Content-Type")
                $0.setValue("1", forHTTPHeaderField: "X-A")
                $0.httpBody = Data("hello".utf8)
            })
        #expect(message.url == url)
        #expect(message.headers == ["Content-Type": "text/plain", "X-A": "1"])
        guard case .data(let data) = message.body.content else { throw Failure("the body is no data") }
        #expect(data == Data("hello".utf8))
        #expect(message.body.contentType == nil)
    }

    @Test func emptyBodyDiffersFromNone() throws {
        guard case .none = try HTTPRequest(urlRequest()).body.content else { throw Failure("there is a body") }
        guard case .data(Data()) = try HTTPRequest(urlRequest { $0.httpBody = Data() }).body.content else {
            throw Failure("the body is not empty data")
        }
    }

    @Test func relativeURLIsResolved() throws {
        let base = URL(string: "https://example.com/v1/")
        let relative = try #require(URL(string: "users", relativeTo: base))
        let message = try HTTPRequest(URLRequest(url: relative))
        #expect(message.url.absoluteString == "https://example.com/v1/users")
    }

    @Test(arguments: [
        ("/users", "has no scheme"), ("ftp://example.com/a", "scheme"), ("https:///a", "has no host"),
    ])
    func urlWithoutServerIsRefused(_ text: String, _ problem: String) throws {
        let url = try #require(URL(string: text))
        let error = #expect(throws: RequestError.self) { try HTTPRequest(URLRequest(url: url)) }
        #expect(error?.code == .badURL)
        #expect(error?.detail.contains(problem) == true, "\(error?.detail ?? "")")
    }

    @Test func missingURLIsRefused() throws {
        let error = #expect(throws: RequestError.self) { try HTTPRequest(urlRequest { $0.url = nil }) }
        #expect(error?.code == .badURL)
        #expect(error?.detail.contains("set its url") == true)
    }

    @Test func streamsAreRefused() throws {
        let incoming = #expect(throws: RequestError.self) {
            try HTTPRequest(urlRequest { $0.httpBodyStream = InputStream(data: Data("a".utf8)) })
        }
        #expect(incoming?.code == .unsupported)
        #expect(incoming?.detail.contains("set httpBody") == true)
        let (stream, _) = AsyncStream<Data>.makeStream()
        let message = HTTPRequest(method: .post, url: url, body: .stream(stream))
        let outgoing = #expect(throws: RequestError.self) { try message.urlRequest() }
        #expect(outgoing?.code == .unsupported)
        #expect(outgoing?.detail.contains("body of data or a file") == true)
    }

    @Test func compressedBodyHasItsCoding() throws {
        let body = Body.string("hello").compressed(as: "gzip") { _ in .data(Data("zipped".utf8)) }
        let request = try HTTPRequest(method: .post, url: url, body: body).urlRequest()
        #expect(request.httpBody == Data("zipped".utf8))
        #expect(request.value(forHTTPHeaderField: "Content-Encoding") == "gzip")
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "text/plain; charset=utf-8")
        let declared = HTTPRequest(method: .post, url: url, headers: ["Content-Encoding": "br"], body: body)
        #expect(throws: RequestError.self) { try declared.urlRequest() }
    }

    @Test func urlRequestHasTheWholeMessage() throws {
        let message = HTTPRequest(
            method: .post, url: url, headers: ["Accept": "text/plain", "X-A": "1"],
            body: .json(["name": "Ada"]))
        let request = try message.urlRequest()
        #expect(request.url == url)
        #expect(request.httpBody == Data(#"{"name":"Ada"}"#.utf8))
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
        #expect(request.value(forHTTPHeaderField: "Accept") == "text/plain")
        #expect(request.value(forHTTPHeaderField: "X-A") == "1")
    }

    @Test func repeatedFieldsAreJoined() throws {
        let message = HTTPRequest(
            url: url, headers: ["Accept": "a", "accept": "b", "Cookie": "c=1", "cookie": "d=2"])
        let request = try message.urlRequest()
        #expect(request.value(forHTTPHeaderField: "Accept") == "a, b")
        #expect(request.value(forHTTPHeaderField: "Cookie") == "c=1; d=2")
    }

    @Test func fileBecomesAnInputStreamWithItsLength() throws {
        let files = ScratchFiles()
        let file = try files.file("upload", Data("hello".utf8))
        let message = HTTPRequest(method: .put, url: url, body: .file(file, contentType: "text/plain"))
        let request = try message.urlRequest()
        #expect(request.value(forHTTPHeaderField: "Content-Length") == "5")
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "text/plain")
        let stream = try #require(request.httpBodyStream)
        stream.open()
        defer { stream.close() }
        var bytes = [UInt8](repeating: 0, count: 16)
        #expect(stream.read(&bytes, maxLength: 16) == 5)
        #expect(bytes.prefix(5).elementsEqual("hello".utf8))
        let missing = HTTPRequest(method: .put, url: url, body: .file(file.appending(path: "none")))
        #expect(code { try missing.urlRequest() } == .badBody)
    }

    @Test func invalidMessagesAreRefused() throws {
        #expect(code { try HTTPRequest(method: "A B", url: url).urlRequest() } == .badMethod)
        #expect(code { try HTTPRequest(url: url, headers: ["X-A": "1\r\nX-B: 2"]).urlRequest() } == .badHeader)
        #expect(code { try HTTPRequest(method: "get", url: url).urlRequest() } == .unsupported)
        #expect(
            code { try HTTPRequest(method: .post, url: url, body: .json(Double.infinity)).urlRequest() }
                == .notEncodable)
    }

    // MARK: Responses

    @Test func responseHasStatusFieldsAndBody() throws {
        let head = try #require(
            HTTPURLResponse(
                url: url, statusCode: 404, httpVersion: "HTTP/1.1",
                headerFields: ["X-B": "2", "Content-Type": "text/plain", "Set-Cookie": "a=1; Path=/, b=2"]))
        let response = HTTPResponse(head, body: Data("none".utf8))
        #expect(response.status == .notFound)
        #expect(response.headers.all("Set-Cookie") == ["a=1; Path=/", "b=2"])
        #expect(response.headers["x-b"] == "2")
        #expect(response.body == Data("none".utf8))
        #expect(response.url == url)
    }

    @Test func decodedBodyHasNoFieldsOfTheEncodedOne() throws {
        let head = try #require(
            HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: nil,
                headerFields: ["Content-Encoding": "gzip", "Content-Length": "20", "X-A": "1"]))
        #expect(HTTPResponse(head).headers == ["X-A": "1"])
    }

    @Test func responsePassesOut() throws {
        let response = HTTPResponse(
            status: 201, headers: ["Set-Cookie": "a=1", "set-cookie": "b=2", "Content-Length": "0"],
            request: HTTPRequest(url: url))
        let head = try response.urlResponse()
        #expect(head.statusCode == 201)
        #expect(head.url == url)
        #expect(head.value(forHTTPHeaderField: "Content-Length") == "0")
        #expect(HTTPResponse(head).headers.all("Set-Cookie") == ["a=1", "b=2"])
        let error = #expect(throws: RequestError.self) { try HTTPResponse(status: 200).urlResponse() }
        #expect(error?.detail.contains("set its request") == true)
    }

    /// Returns the code of the error that a conversion throws.
    private func code(_ convert: () throws -> URLRequest) -> RequestError.Code? {
        Result(catching: convert).failure?.asRequestError?.code
    }

    struct Failure: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
