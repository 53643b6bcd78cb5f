import Foundation
import LoopbackServer
import TangoAuth
import TangoRequest
import Testing

@testable import TestSupport

/// The code of "Challenges and signatures".
@Suite struct ChallengesSnippets {
    @Test func authenticators() {
        let basic = {
            let client = Client(baseURL: URL(string: "https://api.example.com")) {
                $0.authenticator = .basic(user: "ada", password: "secret")
            }
            return client
        }()
        let bearer = { (token: String) in
            let client = Client(baseURL: URL(string: "https://api.example.com")) {
                $0.authenticator = .bearer(token)
            }
            return client
        }("t0ken")
        let client = Client(baseURL: URL(string: "https://api.example.com")) {
            $0.authenticator = .challenges(user: "ada", password: "secret")
        }
        let all = [basic, bearer, client].map { $0.configuration.authenticator }
        #expect(all.allSatisfy { $0 != nil && $0?.problem == nil })
    }

    @Test func proxies() {
        let proxy = Proxy.http(
            host: "proxy.example.com", port: 3128, user: "ada", password: "secret", authentication: .digest)
        #expect(!proxy.description.contains("secret"))
    }

    @Test func signatures() {
        let (keyID, secret) = ("key-1", "secret")
        let signature = AWSSignature(
            credentials: AWSCredentials(keyID: keyID, secret: secret), region: "eu-central-1", service: "s3")
        let client = Client(baseURL: URL(string: "https://photos.s3.eu-central-1.amazonaws.com")) {
            $0.attemptInterceptors = [SigningInterceptor(signature)]
        }
        #expect(client.configuration.attemptInterceptors.count == 1)
    }

    @Test func keys() async throws {
        let key = Data("key".utf8)
        let client = Client(baseURL: URL(string: "https://queue.example.com")) {
            $0.attemptInterceptors = [SigningInterceptor(HMACSignature(key: key, keyID: "app-1"))]
        }
        #expect(client.configuration.attemptInterceptors.count == 1)

        @Sendable func seal(of path: String, at date: Date) -> String { "\(path) \(Int(date.timeIntervalSince1970))" }
        struct Sealed: Signer {
            func signed(_ request: HTTPRequest, at date: Date) async throws -> HTTPRequest {
                var request = request
                request.headers["X-Seal"] = seal(of: request.url.path(), at: date)
                return request
            }
        }
        let server = try LoopbackServer()
        server.answer(with: .text("in"))
        let sealed = Client(baseURL: server.url) {
            $0.attemptInterceptors = [SigningInterceptor(Sealed())]
            $0.now = { Date(timeIntervalSince1970: 5) }
        }
        _ = try await sealed.get("/a", as: String.self).value
        #expect(server.requests.first?.headers["x-seal"] == "/a 5")
    }

    @Test func reports() {
        let current = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        @Sendable func log(_ text: String) {}
        let trust: ServerTrust = .pins(["sha256/\(current)"], reportOnly: { report in log(report.description) })
        #expect(trust.problem == nil)
    }
}
