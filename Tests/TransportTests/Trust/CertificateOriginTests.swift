import Foundation
import Synchronization
import TangoRequest
import Testing

@testable import TestSupport

/// A client certificate goes to the servers that get the other credentials of the client, also after a redirect.
@Suite struct CertificateOriginTests {
    private static let certificate = ServerTrust.clientCertificate(.pem("a"), key: .pem("b"))

    /// Redirects from `/a` to another server, and records the servers for which it has a certificate.
    private final class Redirecting: Transport {
        let identified = Mutex<[String: Bool]>([:])
        let capabilities: TransportCapabilities = [.tls, .clientCertificates, .minimumTLS]

        func start(
            _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
        ) -> TransportTask {
            let host = request.url.host ?? ""
            let hasCertificate = options.trust.rules(for: host).needs.contains(.clientCertificates)
            identified.withLock { $0[host] = hasCertificate }
            completion {
                var response = HTTPResponse(status: .ok, request: request)
                if request.url.path == "/a" {
                    response = HTTPResponse(
                        status: 302, headers: ["Location": "https://other.example/b"], request: request)
                }
                if request.url.path == "/pages" {
                    response.headers["Link"] = "<https://other.example/b>; rel=\"next\""
                }
                return response
            }
            return .completed
        }

        func shutdown() async {}
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var base: String? = "https://api.example"
        var trusted: [String] = []
        var trust = CertificateOriginTests.certificate
        var url = "/a"
        var expected: [String: Bool]
    }

    static let rows = [
        Row(testDescription: "a redirect", expected: ["api.example": true, "other.example": false]),
        Row(
            testDescription: "a trusted origin", trusted: ["https://other.example"],
            expected: ["api.example": true, "other.example": true]),
        Row(
            testDescription: "a named host", trust: .hosts(["other.example": certificate]),
            expected: ["api.example": false, "other.example": true]),
        Row(
            testDescription: "all but one host",
            trust: .hosts(["third.example": .system], else: certificate) + .minimumTLS(.v1_3),
            expected: ["api.example": true, "other.example": false]),
        Row(
            testDescription: "a whole URL", url: "https://third.example/b",
            expected: ["third.example": false]),
        Row(
            testDescription: "no base URL", base: nil, url: "https://api.example/a",
            expected: ["api.example": true, "other.example": false]),
    ]

    @Test(arguments: rows) func certificateFollowsTheRuleOfOrigins(_ row: Row) async throws {
        let transport = Redirecting()
        let client = Client(baseURL: row.base.flatMap { URL(string: $0) }) {
            $0.transport = transport
            $0.trust = row.trust
            $0.trustedOrigins = row.trusted
        }
        _ = try await Fetch<Data>(.get(row.url), of: client).promise.value
        #expect(transport.identified.withLock(\.self) == row.expected)
        // The same with an interceptor, which takes the way through all stages.
        let slow = client.with { $0.interceptors = [PassingOn()] }
        transport.identified.withLock { $0 = [:] }
        _ = try await Fetch<Data>(.get(row.url), of: slow).promise.value
        #expect(transport.identified.withLock(\.self) == row.expected)
    }

    /// The rules of a request are meant for the server that it names.
    @Test func certificateOfARequestGoesToItsServer() async throws {
        let transport = Redirecting()
        let client = Client(baseURL: URL(string: "https://api.example")) { $0.transport = transport }
        _ = try await Identified(client).promise.value
        #expect(transport.identified.withLock(\.self) == ["third.example": true, "other.example": false])
    }

    /// A page may have another origin, which gets no credentials of the first one.
    @Test(arguments: [nil, "https://third.example"])
    func certificateDoesNotFollowALinkToAnotherOrigin(base: String?) async throws {
        let transport = Redirecting()
        let client = Client(baseURL: base.flatMap { URL(string: $0) }) { $0.transport = transport }
        var count = 0
        for try await _ in Listed(client).pages { count += 1 }
        #expect(count == 2)
        #expect(transport.identified.withLock(\.self) == ["api.example": true, "other.example": false])
    }

    private final class Listed: Request<Data> {
        private let place: Client
        init(_ client: Client) { place = client }
        override var client: Client { place }
        override var endpoint: Endpoint { .get("https://api.example/pages") }
        override var paging: Paging<Data> { .linkHeader }
        override var trust: ServerTrust { CertificateOriginTests.certificate }
    }

    private struct PassingOn: Interceptor {
        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            try await next(request)
        }
    }

    private final class Identified: Request<Data> {
        private let place: Client
        init(_ client: Client) { place = client }
        override var client: Client { place }
        override var endpoint: Endpoint { .get("https://third.example/a") }
        override var trust: ServerTrust { CertificateOriginTests.certificate }
    }
}
