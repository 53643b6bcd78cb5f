import Foundation
import LoopbackServer
import TangoAuth
import TangoCookies
import TangoPromise
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// Values with credentials. No description, debug description or dump shows a credential.
@Suite(.timeLimit(.minutes(20))) struct SecretsTests {
    /// The secret that must never be printed. It takes the place of every credential.
    static let secret = "hunter2"

    struct Planted: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let value: any Sendable

        init(_ name: String, _ value: any Sendable) {
            testDescription = name
            self.value = value
        }
    }

    static let text = "https://ada:\(secret)@example.com/a;token=\(secret)?page=2&token=\(secret)#sig=\(secret)"
    static let url = URL(string: text)!
    static let headers: Headers = [
        "Authorization": "Bearer \(secret)", "Cookie": "sid=\(secret)", "X-Api-Key": secret, "Accept": "a/b",
        "Referer": "/a?token=\(secret)", "Link": "</a?sig=\(secret)>; rel=next",
    ]
    static let query: Query = [
        "page": 2, "token": secret, "user": ["password": secret], "keys": ["a"], "api_key": [secret, secret],
    ]
    static let body = Body.json(["password": secret])
    static let request = HTTPRequest(method: .post, url: url, headers: headers, body: body)
    static let response = HTTPResponse(
        status: 302, reason: secret, headers: ["Location": "\(url)", "Set-Cookie": secret], body: Data(secret.utf8),
        request: request)
    static let endpoint = Endpoint.post("\(url)", query: query, headers: headers, body: body)
    static let error: RequestError = {
        var error = RequestError(
            .badStatus, phase: .decode, detail: "went to \(url) (then 'https://h/?a[]=1&token=\(secret)')",
            request: request, response: response,
            underlying: RequestError(.badURL, phase: .prepare, detail: "\(url)", request: request))
        error.payload = secret
        return error
    }()
    static let client = Client(baseURL: url) {
        $0.headers = headers
        $0.identity = secret
        $0.interceptors = [Tokens(token: secret)]
    }

    /// An interceptor of an application, which defines no descriptions of its own.
    struct Tokens: Interceptor {
        let token: String
        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            throw RequestError(.unsupported, phase: .prepare, detail: "never sent")
        }
    }

    static let planted: [Planted] = [
        Planted("headers", headers), Planted("query", query), Planted("field", Query(["token": Self.secret]).fields[0]),
        Planted("body", body), Planted("endpoint", endpoint), Planted("request", request),
        Planted("response", response), Planted("error", error), Planted("client", client),
        Planted("event", CallEvent.Kind.response(response)), Planted("optional", Optional(endpoint)),
        Planted("array", [query]), Planted("dictionary", ["a": request]),
        Planted("tuple in an array", [("a", headers)]),
        Planted("call", Fetch<String>(endpoint, of: client).start()),
        Planted("call of a message", Fetch<String>(.get("\(url)"), of: client).start()),
        Planted(
            "plan", Plan(Fetch<String>(endpoint, of: client)).common.name),
        Planted("list of calls", client.calls),
    ]

    private func dumped(_ value: Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    @Test(arguments: planted)
    func printedValuesHaveNoSecret(planted: Planted) {
        for text in ["\(planted.value)", String(reflecting: planted.value), dumped(planted.value)] {
            #expect(!text.contains(Self.secret), "\(text)")
            #expect(!text.isEmpty)
        }
    }

    @Test func otherValuesArePrinted() {
        #expect("\(Self.query)" == "page=2&token=…&user%5Bpassword%5D=…&keys=a&api_key=…&api_key=…")
        #expect("\(Query(["n": Double.nan, "token": "x"]))" == "n&token")
        #expect("\(Query())" == "")
        #expect("\(Endpoint.get("/users"))" == "GET /users")
        #expect("\(Endpoint.get("/users?a=1", query: ["b": 2]))" == "GET /users?a=1&b=2")
        #expect(
            String(reflecting: Endpoint.post("/a", headers: ["X": "1"], body: .string("abc"))) == """
                POST /a
                X: 1
                (3 bytes of text/plain; charset=utf-8)
                """)
        #expect("\(Self.client)".hasPrefix("client of https://…@example.com/a;token=…?page=2&token=…#sig=…, "))
        #expect(dumped(Self.headers).contains("a/b"))
    }

    /// Checks the errors of whole calls.
    @Test func errorOfACallHasNoSecret() async throws {
        for promise in [
            Fetch<String>(Self.endpoint, of: Self.client).promise,
            Fetch<String>(.get("https://ada:\(Self.secret)@exa mple.com/?token=\(Self.secret)"), of: Self.client)
                .promise,
            Fetch<String>(.get("/a", headers: ["Authorization": "\(Self.secret)\r\n"]), of: Client(baseURL: Self.url))
                .promise,
        ] {
            let error = try #require(await refusal(of: promise))
            for text in ["\(error)", String(reflecting: error), dumped(error), error.failureReason ?? ""] {
                #expect(!text.contains(Self.secret), "\(text)")
            }
        }
    }
}
