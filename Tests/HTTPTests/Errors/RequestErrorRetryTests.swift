import Foundation
import LoopbackServer
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

@Suite struct RequestErrorRetryTests {
    enum Again: CaseIterable {
        case anyMethod
        case idempotentMethod
        case noMethod
    }

    private static let byCode: [(RequestError.Code, RequestError.Phase, Again)] =
        [
            (.offline, .connect, .anyMethod), (.hostNotFound, .connect, .anyMethod),
            (.cannotConnect, .connect, .anyMethod),
            (.connectTimedOut, .connect, .anyMethod), (.proxyFailed, .connect, .anyMethod),
            (.outOfResources, .connect, .anyMethod), (.outOfResources, .prepare, .anyMethod),
            (.outOfResources, .receive, .noMethod), (.connectionLost, .connect, .anyMethod),
            (.connectionLost, .send, .idempotentMethod), (.connectionLost, .wait, .idempotentMethod),
            (.connectionLost, .receive, .idempotentMethod), (.idleTimedOut, .wait, .idempotentMethod),
            (.idleTimedOut, .prepare, .noMethod),
            (.connectTimedOut, .prepare, .noMethod), (.attemptTimedOut, .prepare, .noMethod),
            (.attemptTimedOut, .connect, .anyMethod), (.attemptTimedOut, .receive, .idempotentMethod),
            (.truncated, .receive, .idempotentMethod), (.notProcessed, .wait, .anyMethod),
        ]
        + ([
            .badURL, .badMethod, .badHeader, .badBody, .bodyNotReplayable, .badTrust, .unsupported, .notEncodable,
            .noEndpoint,
            .noBaseURL, .noSerializer, .noStub, .backgroundTimeExpired, .tlsFailed, .untrusted, .totalTimedOut,
            .badResponse, .badEncoding,
            .decompressionLimit, .responseTooLarge, .shutDown, .noTransport, .transportFailed, .badContentType,
            .business, .refusedResponse, .emptyResponse, .notDecodable, .notCached, .queueFull, .badRedirect,
            .tooManyRedirects, .duplicate, .proxyAuthenticationRequired, .badDestination, .destinationInUse, .diskFull,
            .cannotWriteFile,
            .checksumMismatch,
            RequestError.Code(rawValue: "custom"),
        ] as [RequestError.Code]).map { ($0, .connect, .noMethod) }

    private static let byStatus: [(RequestError.Code, RequestError.Phase, HTTPStatus, Again)] = [
        (.badStatus, .decode, 408, .anyMethod), (.badStatus, .decode, 425, .anyMethod),
        (.badStatus, .decode, 429, .idempotentMethod), (.badStatus, .decode, 503, .idempotentMethod),
        (.badStatus, .decode, 421, .anyMethod), (.badStatus, .decode, 413, .noMethod),
        (.badStatus, .decode, 500, .idempotentMethod), (.badStatus, .decode, 502, .idempotentMethod),
        (.badStatus, .decode, 504, .idempotentMethod), (.badStatus, .decode, 400, .noMethod),
        (.badStatus, .decode, 401, .noMethod), (.badStatus, .decode, 404, .noMethod),
        (.badStatus, .decode, 501, .noMethod), (.badStatus, .decode, 505, .noMethod),
        (.badStatus, .decode, 302, .noMethod), (.business, .decode, 503, .noMethod),
    ]

    private func expect(_ again: Again, _ make: (HTTPRequest) -> RequestError) throws {
        let url = try #require(URL(string: "http://localhost/"))
        let idempotent: [(HTTPMethod, Headers)] = [(.get, [:]), (.put, [:]), (.post, ["idempotency-key": "7"])]
        for (method, headers) in idempotent {
            let request = HTTPRequest(method: method, url: url, headers: headers, body: .none)
            #expect(make(request).isRetryable == (again != .noMethod))
        }
        for method in [HTTPMethod.post, .patch, "PURGE"] {
            #expect(make(HTTPRequest(method: method, url: url)).isRetryable == (again == .anyMethod))
        }
        let once = Body.stream(AsyncStream<Data> { $0.finish() })
        #expect(!make(HTTPRequest(method: .put, url: url, body: once)).isRetryable)
        let oftener = Body.stream { AsyncStream<Data> { $0.finish() } }
        #expect(make(HTTPRequest(method: .put, url: url, body: oftener)).isRetryable == (again != .noMethod))
    }

    @Test(arguments: byCode)
    func codeAndPhaseDecideOnRetries(_ code: RequestError.Code, _ phase: RequestError.Phase, again: Again) throws {
        try expect(again) { RequestError(code, phase: phase, detail: "", request: $0) }
    }

    @Test(arguments: byStatus.indices)
    func statusDecidesOnRetries(_ row: Int) throws {
        let (code, phase, status, again) = Self.byStatus[row]
        try expect(again) { request in
            RequestError(code, phase: phase, detail: "", request: request, response: HTTPResponse(status: status))
        }
    }

    @Test func onlyRetryableRequestErrorsAreRetried() {
        #expect(RequestError.isRetryable(RequestError(.cannotConnect, phase: .connect, detail: "")))
        #expect(!RequestError.isRetryable(RequestError(.badURL, phase: .prepare, detail: "")))
        #expect(!RequestError.isRetryable(CancellationError()))
        #expect(!RequestError.isRetryable(URLError(.timedOut)))
    }

    @Test(arguments: [(404, 1), (503, 3)])
    func requestIsSentAgainOnlyIfTheErrorIsRetryable(status: Int, requests: Int) async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.answer("/a", with: .text("no", status: status))
        let client = Client(baseURL: server.url)
        let retry = Promise.retry(3, if: RequestError.isRetryable) { _ in client.get("/a", as: String.self) }
        await #expect(throws: RequestError.self) { try await retry.value }
        #expect(server.requests.count == requests)
    }

    @Test func errorWithoutARequestIsRetryableOnlyBeforeSending() {
        #expect(RequestError(.cannotConnect, phase: .connect, detail: "").isRetryable)
        #expect(!RequestError(.connectionLost, phase: .wait, detail: "").isRetryable)
    }
}
