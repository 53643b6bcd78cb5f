import Foundation
import LoopbackServer
import Synchronization
import Testing

@testable import TangoAuth
@testable import TangoRequest
@testable import TestSupport

@Suite(.timeLimit(.minutes(20))) struct ChallengeAuthenticatorTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private func client(
        _ authenticator: any Authenticator, _ change: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        Client(baseURL: server.url) {
            $0.authenticator = authenticator
            change(&$0)
        }
    }

    private func guarding(_ rules: DigestGuard.Rules = DigestGuard.Rules()) -> DigestGuard {
        let guardian = DigestGuard(rules)
        server.answer { try guardian.respond(to: $0) }
        return guardian
    }

    // MARK: Digest

    static let rules: [DigestGuard.Rules] = Hash.ofDigests.flatMap { hash in
        [
            DigestGuard.Rules(hash: hash), DigestGuard.Rules(hash: hash, isSession: true),
            DigestGuard.Rules(hash: hash, qop: "auth-int"), DigestGuard.Rules(hash: hash, hashesUser: true),
            DigestGuard.Rules(hash: hash, qop: "auth,auth-int"), DigestGuard.Rules(hash: hash, qop: nil),
        ]
    }

    @Test(arguments: rules)
    func firstRequestIsChallengedAndLaterOnesAreNot(_ rules: DigestGuard.Rules) async throws {
        let guardian = guarding(rules)
        let client = client(.digest(user: "ada", password: "secret"))
        for path in ["/a?b=%20c", "/d", "/e/f"] {
            let text = try await client.post(path, body: .string("hello"), as: String.self).value
            #expect(text == (rules.qop == nil ? "old" : rules.qop == "auth" ? "auth" : "auth-int"))
        }
        #expect(guardian.rejections == 1)
        #expect(server.requests.count == 4)
        if rules.qop != nil { #expect(guardian.counts["nonce 1"] == [1, 2, 3]) }
    }

    @Test func filesAreProtectedAndStreamsAreNot() async throws {
        let guardian = guarding(DigestGuard.Rules(qop: "auth,auth-int"))
        let client = client(.digest(user: "ada", password: "secret"))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("tango-\(UUID().uuidString)")
        try Data(repeating: 7, count: 600_000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        for _ in 0..<2 {
            #expect(try await client.post("/", body: .file(file), as: String.self).value == "auth-int")
        }
        let stream = Body.stream {
            AsyncStream {
                $0.yield(Data("abc".utf8)); $0.finish()
            }
        }
        #expect(try await client.post("/", body: stream, as: String.self).value == "auth")
        #expect(guardian.rejections == 1)
    }

    @Test func streamFailsIfItHasToBeProtected() async throws {
        let guardian = guarding(DigestGuard.Rules(qop: "auth-int"))
        let client = client(.digest(user: "ada", password: "secret"))
        let stream = Body.stream {
            AsyncStream {
                $0.yield(Data("abc".utf8)); $0.finish()
            }
        }
        let error = await refusal { try await client.post("/", body: stream, as: String.self).value }
        #expect(error?.code == .unsupportedChallenge)
        #expect(error?.detail.contains("auth-int") == true)
        #expect(guardian.rejections == 1)
    }

    @Test func staleNonceIsReplaced() async throws {
        let guardian = guarding(DigestGuard.Rules(uses: 2))
        let client = client(.digest(user: "ada", password: "secret"))
        for _ in 0..<5 { _ = try await client.get("/", as: String.self).value }
        #expect(guardian.rejections == 3)
        #expect(guardian.counts.values.allSatisfy { $0.count <= 3 })
    }

    @Test func serverThatIsAlwaysStaleGetsNoLoop() async throws {
        let guardian = guarding(DigestGuard.Rules(uses: 0))
        let client = client(.digest(user: "ada", password: "secret"))
        let error = await refusal { try await client.get("/", as: String.self).value }
        #expect(error?.response?.status == .unauthorized)
        #expect(guardian.rejections == 4)
    }

    @Test func nextNonceIsUsed() async throws {
        let guardian = guarding(DigestGuard.Rules(sendsNextNonce: true))
        let client = client(.digest(user: "ada", password: "secret"))
        for _ in 0..<4 { _ = try await client.get("/", as: String.self).value }
        #expect(guardian.rejections == 1)
        #expect(guardian.counts == ["nonce 1": [1], "nonce 2": [1], "nonce 3": [1], "nonce 4": [1]])
    }

    @Test func countersAreUniqueInParallel() async throws {
        let guardian = guarding()
        let client = client(.digest(user: "ada", password: "secret"))
        _ = try await client.get("/", as: String.self).value
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask { _ = try await client.get("/\(number)", as: String.self).value }
            }
            try await group.waitForAll()
        }
        #expect(guardian.rejections == 1)
        #expect(guardian.counts["nonce 1"]?.sorted() == Array(1...101))
    }

    /// Without stages that have to run, the first attempt is sent directly.
    @Test(arguments: [false, true])
    func retryHasACounterOfItsOwn(isDirect: Bool) async throws {
        struct Passing: Interceptor {
            func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
                try await next(request)
            }
        }
        let guardian = DigestGuard()
        let isBusy = Atomic(true)
        server.answer { request in
            let response = try guardian.respond(to: request)
            return request.path == "/busy" && isBusy.exchange(false, ordering: .relaxed) ? .status(503) : response
        }
        let client = client(.digest(user: "ada", password: "secret")) {
            $0.retryPolicy = .custom { $0.response?.status == 503 ? .zero : nil }
            if !isDirect { $0.interceptors = [Passing()] }
        }
        for path in ["/", "/busy", "/"] { _ = try await client.get(path, as: String.self).value }
        #expect(guardian.rejections == 1)
        #expect(guardian.counts == ["nonce 1": [1, 2, 3, 4]])
    }

    @Test func wrongPasswordIsSentOnce() async throws {
        let guardian = guarding()
        let client = client(.challenges(user: "ada", password: "wrong")) { $0.retryPolicy = .standard }
        for number in 1...2 {
            let error = await refusal { try await client.get("/", as: String.self).value }
            #expect(error?.code == .badStatus)
            #expect(error?.response?.status == .unauthorized)
            // The nonce of rejected credentials is not used again.
            #expect(guardian.rejections == 2 * number)
            #expect(error.map { "\($0)" }?.contains("wrong") == false)
        }
    }

    @Test func clientNonceCanBeSet() async throws {
        let guardian = guarding()
        let client = client(ChallengeAuthenticator(user: "ada", password: "secret", clientNonce: { "mine" }))
        _ = try await client.get("/", as: String.self).value
        #expect(guardian.rejections == 1)
        #expect(server.requests.last?.headers["authorization"]?.contains("cnonce=\"mine\"") == true)
    }

    @Test func domainLimitsTheCredentials() async throws {
        let guardian = guarding(DigestGuard.Rules(domain: "/in /also"))
        let client = client(.digest(user: "ada", password: "secret"))
        for path in ["/in/a", "/in/b", "/also", "/out"] { _ = try await client.get(path, as: String.self).value }
        #expect(guardian.rejections == 2)
        #expect(server.requests.map { $0.headers["authorization"] != nil } == [false, true, true, true, false, true])
    }

    // MARK: Basic, and choices

    @Test func strongestChallengeIsChosen() async throws {
        let guardian = guarding(DigestGuard.Rules(others: ["Basic realm=\"a\", Negotiate", "NTLM"]))
        let client = client(.challenges(user: "ada", password: "secret"))
        _ = try await client.get("/", as: String.self).value
        #expect(guardian.rejections == 1)
    }

    @Test func basicIsRememberedForTheFolder() async throws {
        server.answer { request in
            request.headers["authorization"] == "Basic YWRhOnNlY3JldA=="
                ? .text("in") : .status(401).header("WWW-Authenticate", "Basic realm=\"a\"")
        }
        let client = client(.challenges(user: "ada", password: "secret"))
        for path in ["/a/b", "/a/c/d", "/e"] { _ = try await client.get(path, as: String.self).value }
        #expect(server.requests.map { $0.headers["authorization"] != nil } == [false, true, true, false, true])
    }

    @Test func wrongPasswordOfBasicIsSentOnce() async throws {
        server.answer(with: .status(401).header("WWW-Authenticate", "Basic realm=\"a\""))
        let client = client(.challenges(user: "ada", password: "wrong"))
        let error = await refusal { try await client.get("/", as: String.self).value }
        #expect(error?.response?.status == .unauthorized)
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [
        ("Negotiate, NTLM", "Negotiate, NTLM"), ("Digest realm=a, nonce=b, algorithm=SHA-1", "Digest with SHA-1"),
        ("Basic realm=a", "Basic"),
    ])
    func unknownSchemesFailClearly(_ challenge: String, _ name: String) async throws {
        server.answer(with: .status(401).header("WWW-Authenticate", challenge))
        let client = client(.digest(user: "ada", password: "secret"))
        let error = await refusal { try await client.get("/", as: String.self).value }
        #expect(error?.code == .unsupportedChallenge)
        #expect(error?.detail.contains("requires \(name), and") == true, "\(error?.detail ?? "")")
        #expect(error?.isRetryable == false)
        #expect(server.requests.count == 1)
    }

    @Test func rejectionWithoutChallengeIsTheResponse() async throws {
        server.answer(with: .status(401))
        let client = client(.challenges(user: "ada", password: "secret"))
        let error = await refusal { try await client.get("/", as: String.self).value }
        #expect(error?.code == .badStatus)
        #expect(server.requests.count == 1)
    }

    @Test func basicIsNotSentInClearToOtherDevices() async throws {
        let challenge = HTTPResponse(status: 401, headers: ["WWW-Authenticate": "Basic realm=a"])
        let client = Client()
        for (url, allowed, isSent) in [
            ("http://api.test/", false, false), ("http://api.test/", true, true), ("https://api.test/", false, true),
            ("http://localhost/", false, true),
        ] {
            let authenticator: any Authenticator = .challenges(
                user: "ada", password: "secret", allowsBasicOverHTTP: allowed)
            let request = HTTPRequest(url: try #require(URL(string: url)))
            let sent = try? await authenticator.replacement(
                for: request, rejectedBy: challenge, context: AuthenticationContext(client: client))
            #expect((sent?.headers["Authorization"] == "Basic YWRhOnNlY3JldA==") == isSent, "\(url)")
        }
    }

    /// The examples of RFC 7617, 2 and 2.1.
    @Test(arguments: [
        ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("test", "123£", "Basic dGVzdDoxMjPCow=="),
    ])
    func basicIsSentAtOnce(_ user: String, _ password: String, _ header: String) async throws {
        server.answer(with: .text("in"))
        _ = try await client(.basic(user: user, password: password)).get("/", as: String.self).value
        #expect(server.requests.map { $0.headers["authorization"] } == [header])
    }

    @Test func bearerIsSentAtOnce() async throws {
        server.answer(with: .text("in"))
        _ = try await client(.bearer("t0ken")).get("/", as: String.self).value
        #expect(server.requests.map { $0.headers["authorization"] } == ["Bearer t0ken"])
    }

    @Test func basicNamesTheSchemesOfTheServer() async throws {
        server.answer(with: .status(401).header("WWW-Authenticate", "Digest realm=a, nonce=b"))
        let client = client(.basic(user: "ada", password: "secret"))
        let error = await refusal { try await client.get("/", as: String.self).value }
        #expect(error?.code == .unsupportedChallenge)
        #expect(error?.detail.contains("requires Digest instead of Basic") == true)
        #expect(server.requests.count == 1)
    }

    @Test func unusableCredentialsFail() async throws {
        let all: [(any Authenticator, String)] = [
            (.basic(user: "a:b", password: "c"), "colon"), (.challenges(user: "a:b", password: "c"), "colon"),
            (.basic(user: "a", password: "b\nc"), "line break"), (.bearer(""), "empty"), (.bearer("a b"), "space"),
        ]
        for (authenticator, reason) in all {
            let error = await refusal { try await client(authenticator).get("/", as: String.self).value }
            #expect(error?.code == .badPolicy)
            #expect(error?.detail.contains(reason) == true)
        }
        #expect(server.requests.isEmpty)
    }

    // MARK: Users and origins

    @Test func otherOriginsGetNothing() async throws {
        let guardian = guarding()
        let client = Client {
            $0.authenticator = .challenges(user: "ada", password: "secret")
        }
        let error = await refusal { try await client.get(server.url("/").absoluteString, as: String.self).value }
        #expect(error?.response?.status == .unauthorized)
        #expect(guardian.rejections == 1)
        #expect(server.requests.count == 1)
    }

    @Test func eachAuthenticatorHasItsIdentity() async throws {
        let all: [any Authenticator] = [
            .basic(user: "a", password: "b"), .basic(user: "a", password: "b"), .bearer("a"), .bearer("a"),
            .challenges(user: "a", password: "b"), .digest(user: "a", password: "b"),
        ]
        let before = all.map(\.identity)
        #expect(!before.contains(nil))
        #expect(Set(before).count == all.count)
        #expect(before == all.map(\.identity))
        let context = AuthenticationContext(client: Client())
        for authenticator in all { try await authenticator.signOut(context: context) }
        #expect(Set(all.map(\.identity)).isDisjoint(with: before))
    }

    @Test func signedOutCredentialsAreNotSent() async throws {
        let guardian = guarding()
        let authenticator: any Authenticator = .digest(user: "ada", password: "secret")
        let client = client(authenticator)
        _ = try await client.get("/", as: String.self).value
        try await authenticator.signOut(context: AuthenticationContext(client: client))
        let error = await refusal { try await client.get("/", as: String.self).value }
        #expect(error != nil)
        #expect(server.requests.last?.headers["authorization"] == nil)
        #expect(guardian.rejections == 2)
    }

    @Test func descriptionsShowNoSecrets() {
        let all: [any Authenticator] = [
            .basic(user: "ada-7", password: "pass-7"), .bearer("pass-7"), .digest(user: "ada-7", password: "pass-7"),
            .challenges(user: "ada-7", password: "pass-7"),
        ]
        for authenticator in all {
            var dumped = "\(authenticator) \(String(reflecting: authenticator))"
            dump(authenticator, to: &dumped)
            #expect(!dumped.contains("pass-7") && !dumped.contains("ada-7"))
        }
    }
}
