import Foundation
import LoopbackServer
import Synchronization
import TangoPromise
import Testing

@testable import TangoAuth
@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

@Suite(.timeLimit(.minutes(20))) struct SigningInterceptorTests {
    private let server: LoopbackServer
    private let key = Data("key".utf8)

    init() throws {
        server = try LoopbackServer()
    }

    /// Returns whether the signature of a request is right, computed from what has arrived.
    private func isSigned(_ request: RecordedRequest) throws -> Bool {
        guard let signature = request.headers["x-signature"], let date = request.headers["x-signature-date"] else {
            return false
        }
        let body = SHA256.hex(request.body)
        let text = "\(request.method)\n\(request.target)\n\(date)\n\(body)"
        return try HMAC.code(text.utf8, key: key).hexadecimal == signature
    }

    private func client(
        _ interceptor: SigningInterceptor, _ change: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        Client(baseURL: server.url) {
            $0.attemptInterceptors = [interceptor]
            change(&$0)
        }
    }

    @Test func finalBytesAreSigned() async throws {
        server.answer(with: .text("in"))
        let client = client(SigningInterceptor(HMACSignature(key: key, keyID: "k1")))
        _ = try await client.post("/a?b=%20c", body: .json(["d": 1]), as: String.self).value
        let request = try #require(server.requests.first)
        #expect(try isSigned(request))
        #expect(request.headers["x-signature-key"] == "k1")
    }

    @Test func dateIsThatOfTheClient() async throws {
        server.answer(with: .text("in"))
        let client = client(SigningInterceptor(HMACSignature(key: key))) {
            $0.now = { Date(timeIntervalSince1970: 1_000_000.9) }
        }
        _ = try await client.get("/", as: String.self).value
        #expect(server.requests.first?.headers["x-signature-date"] == "1000000")
    }

    @Test func retriesAndRedirectsAreSignedAnew() async throws {
        let seconds = Mutex(0.0)
        server.enqueue(.status(503), .status(307).header("Location", "/b?c"), .text("in"))
        let client = client(SigningInterceptor(HMACSignature(key: key))) {
            $0.now = {
                Date(
                    timeIntervalSince1970: seconds.withLock {
                        $0 += 1; return $0
                    })
            }
            $0.retryPolicy = .exponential(attempts: 2, base: .zero)
        }
        _ = try await client.get("/a", as: String.self).value
        let requests = server.requests
        #expect(requests.map(\.target) == ["/a", "/a", "/b?c"])
        #expect(try requests.allSatisfy(isSigned))
        #expect(Set(requests.map { $0.headers["x-signature-date"] }).count == 3)
        #expect(
            requests.allSatisfy { request in request.headers.filter { $0.name.lowercased() == "x-signature" }.count == 1
            })
    }

    @Test func otherOriginsGetNoSignature() async throws {
        server.answer(with: .text("in"))
        let port = server.port
        let elsewhere = try #require(URL(string: "http://localhost:\(port)/"))
        let trusting = client(SigningInterceptor(HMACSignature(key: key)))
        _ = try await trusting.get(elsewhere.absoluteString, as: String.self).value
        #expect(server.requests.last?.headers["x-signature"] == nil)
        let named = client(
            SigningInterceptor(HMACSignature(key: key), for: [ServicePattern("http://localhost:\(port)")]))
        _ = try await named.get(elsewhere.absoluteString, as: String.self).value
        #expect(server.requests.last?.headers["x-signature"] != nil)
        _ = try await named.get("/", as: String.self).value
        #expect(server.requests.last?.headers["x-signature"] == nil)
    }

    @Test func invalidServiceFails() async throws {
        let client = client(SigningInterceptor(HMACSignature(key: key), for: ["nonsense"]))
        let error = await refusal { try await client.get("/", as: String.self).value }
        #expect(error?.code == .badPolicy)
    }

    @Test(arguments: [HMACSignature.Algorithm.sha1, .sha256, .sha512])
    func textAndAlgorithmCanBeChosen(_ algorithm: HMACSignature.Algorithm) async throws {
        let signer = HMACSignature(key: key, algorithm: algorithm) { "\($0.request.method)|\($0.target)|\($0.seconds)" }
        let request = HTTPRequest(url: try #require(URL(string: "https://a.test/b")))
        let signed = try await signer.signed(request, at: Date(timeIntervalSince1970: 5))
        let expected = try HMAC.code("GET|/b|5".utf8, key: key, algorithm.hash).hexadecimal
        #expect(signed.headers["X-Signature"] == expected)
    }
}
