import Foundation
import TangoAuth
import TangoCookies
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Servers of others: nginx with Basic, and httpbin with Digest.
enum ChallengingServers {
    static let basic = server("TANGO_BASIC_SERVER")
    static let digest = server("TANGO_DIGEST_SERVER")
    static let areThere = basic != nil && digest != nil
    static let comment = Comment(rawValue: "it needs nginx and httpbin: run the tests with .ci/digest")

    private static func server(_ name: String) -> URL? {
        ProcessInfo.processInfo.environment[name].flatMap { URL(string: $0) }
    }
}

@Suite(.enabled(if: ChallengingServers.areThere, ChallengingServers.comment), .timeLimit(.minutes(20)))
struct RealChallengeTests {
    private func client(_ server: URL?, _ authenticator: any Authenticator) -> Client {
        Client(baseURL: server) { $0.authenticator = authenticator }
    }

    // MARK: nginx

    @Test func nginxAcceptsBasic() async throws {
        let all: [any Authenticator] = [
            .basic(user: "ada", password: "secret"), .challenges(user: "ada", password: "secret"),
        ]
        for authenticator in all {
            let client = client(ChallengingServers.basic, authenticator)
            for _ in 0..<2 { #expect(try await client.get("/in", as: String.self).value == "in") }
        }
    }

    @Test func nginxRejectsAnotherPassword() async throws {
        let client = client(ChallengingServers.basic, .challenges(user: "ada", password: "wrong"))
        let error = await refusal { try await client.get("/in", as: String.self).value }
        #expect(error?.response?.status == .unauthorized)
    }

    @Test func nginxWithoutDigestFailsClearly() async throws {
        let client = client(ChallengingServers.basic, .digest(user: "ada", password: "secret"))
        let error = await refusal { try await client.get("/in", as: String.self).value }
        #expect(error?.code == .unsupportedChallenge)
    }

    // MARK: httpbin

    @Test(arguments: ["MD5", "SHA-256"], ["auth", "auth-int"])
    func httpbinAcceptsDigest(_ algorithm: String, _ protection: String) async throws {
        let client = client(ChallengingServers.digest, .digest(user: "ada", password: "secret"))
        let path = "/digest-auth/\(protection)/ada/secret/\(algorithm)"
        for _ in 0..<2 {
            let text = try await client.get(path, as: String.self).value
            #expect(text.contains("\"authenticated\":true"), "\(text)")
        }
    }

    /// With this cookie, every nonce is stale.
    @Test func staleNoncesOfHttpbinMakeNoLoop() async throws {
        let client = client(ChallengingServers.digest, .digest(user: "ada", password: "secret")).with {
            $0.headers = ["Cookie": "stale_after=0"]
        }
        let error = await refusal { try await client.get("/digest-auth/auth/ada/secret/MD5", as: String.self).value }
        #expect(error?.response?.status == .unauthorized)
        #expect(error?.response?.challenges.first?["stale"]?.lowercased() == "true")
    }

    @Test func unknownAlgorithmOfHttpbinFailsClearly() async throws {
        let client = client(ChallengingServers.digest, .digest(user: "ada", password: "secret"))
        let path = "/digest-auth/auth/ada/secret/SHA-512"
        let error = await refusal { try await client.get(path, as: String.self).value }
        #expect(error?.code == .unsupportedChallenge)
        #expect(error?.detail.contains("Digest with SHA-512") == true)
    }

    @Test func httpbinRejectsAnotherPassword() async throws {
        let client = client(ChallengingServers.digest, .digest(user: "ada", password: "wrong"))
        let error = await refusal { try await client.get("/digest-auth/auth/ada/secret/MD5", as: String.self).value }
        #expect(error?.response?.status == .unauthorized)
    }
}
