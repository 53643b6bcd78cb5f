import Foundation
import LoopbackServer
import Synchronization
import TangoAuth
import TangoRequest
import TangoTesting
import Testing

@testable import TestSupport

/// The secrets of an authenticator, which no request has carried yet. No output shows them.
@Suite(.timeLimit(.minutes(20)))
struct KnownSecretsTests {
    /// The ways in which a token authenticator gets its first token.
    enum Way: CaseIterable { case signIn, update, store, renewal }

    private static let access = "access-7d1f-held", refresh = "refresh-7d1f-held", identityToken = "identity-7d1f-held"
    private static let secrets = [access, refresh, identityToken]

    private static let token = Token(
        access, refreshToken: refresh, expires: .distantPast,
        values: ["id_token": identityToken, "token_expires_at": "1735689600", "theme": "solarized"])

    /// The text of a server or a library that repeats all secrets.
    private static let text = "cannot renew \(access) with \(refresh) of \(identityToken), theme solarized, 1735689600"

    @Test(arguments: Way.allCases)
    func tokensAreKnownAsSoonAsTheAuthenticatorHasThem(_ way: Way) async throws {
        let run = try Run()
        let source = Renewing(
            url: run.server.url.appendingPathComponent("token"), first: way == .renewal ? Self.token : nil)
        let store = way == .store ? Held(StoredToken(token: Self.token, identity: "ada")) : nil
        let session = TokenAuthenticator(source, store: store)
        let client = try run.client { $0.authenticator = session }
        switch way {
        case .signIn: try await session.signIn(Self.token)
        case .update: try await session.update(Self.token)
        // The token that was issued expires at once, so the second call needs a further one.
        case .renewal: _ = try? await client.get("/a").value as String
        case .store: break
        }
        run.server.answer(
            with: Response.text(Self.text, status: 400).header("X-Reason", Self.text))
        await run.fail(client)
        try await run.check(Self.secrets, client)
    }

    /// The source of the article about refreshing tokens.
    @Test func sourceOfTheArticleShowsNoToken() async throws {
        for status in [200, 400, 500] {
            let run = try Run()
            let session = TokenAuthenticator(Backend(url: run.server.url.appendingPathComponent("token")))
            let client = try run.client { $0.authenticator = session }
            try await session.signIn(Self.token)
            run.server.answer { request in
                request.path.hasSuffix("/token")
                    ? .json(
                        #"{"access": "next-access-7d1f", "refresh": "next-refresh-7d1f", "lifetime": 60, "text": "\#(Self.text)"}"#,
                        status: status)
                    : .text("next-access-7d1f and next-refresh-7d1f of \(Self.refresh)", status: 403)
            }
            await run.fail(client)
            try await run.check(Self.secrets + ["next-access-7d1f", "next-refresh-7d1f"], client)
        }
    }

    @Test(arguments: [0, 1, 2, 3])
    func fixedCredentialsAreKnownFromTheBeginning(_ kind: Int) async throws {
        let run = try Run()
        let fixed: [any Authenticator] = [
            .basic(user: "ada", password: Self.access), .bearer(Self.access),
            .challenges(user: "ada", password: Self.access), .services(["http://*": .bearer(Self.access)]),
        ]
        let client = try run.client {
            $0.authenticator = fixed[kind]
            $0.interceptors = [Refusing(text: Self.text)]
        }
        await run.fail(client)
        try await run.check([Self.access], client)
    }

    // MARK: -

    private struct Held: TokenStore {
        let stored: StoredToken

        init(_ stored: StoredToken) { self.stored = stored }

        func load() throws -> StoredToken? { stored }
        func save(_ token: StoredToken) async throws { throw Repeating(text: KnownSecretsTests.text) }
        func remove() async throws {}
    }

    private struct Repeating: Error, CustomStringConvertible {
        let text: String
        var description: String { text }
    }

    /// A source that issues at most one token. All its errors repeat the token before.
    private struct Renewing: TokenSource {
        let url: URL
        let first: Token?

        func token(replacing old: Token?, context: AuthenticationContext) async throws -> Token {
            if old == nil, let first { return first }
            let response = try await context.send(
                HTTPRequest(method: .post, url: url, body: .string("a body without fields")))
            throw RequestError(
                .refusedResponse, phase: .receive,
                detail: "the server said: \(String(decoding: response.body, as: UTF8.self))",
                underlying: Repeating(text: KnownSecretsTests.text))
        }
    }

    private struct Backend: TokenSource {
        let url: URL

        func token(replacing old: Token?, context: AuthenticationContext) async throws -> Token {
            guard let refreshToken = old?.refreshToken else { throw RequestError.signInRequired }
            let request = HTTPRequest(
                method: .post, url: url, headers: ["Accept": "application/json"],
                body: .form(["refresh": .init(refreshToken)]))
            let response = try await context.send(request)
            guard response.status == .ok else { throw RequestError.signInRequired }
            struct Answer: Decodable { let access: String, refresh: String, lifetime: Double }
            let answer = try JSONDecoder().decode(Answer.self, from: response.body)
            return Token(
                answer.access, refreshToken: answer.refresh, expires: context.now.addingTimeInterval(answer.lifetime))
        }
    }

    private struct Refusing: Interceptor {
        let text: String

        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            throw RequestError(.refusedResponse, phase: .prepare, detail: text, underlying: Repeating(text: text))
        }
    }

    /// A client whose outputs are recorded.
    private final class Run: Sendable {
        private let site: Site
        private let files = ScratchFiles()
        private let texts = Mutex<[String]>([])

        var server: LoopbackServer { site.server }
        private var recording: URL { files.url.appendingPathComponent("run.har") }

        init() throws {
            site = try Site()
        }

        func client(_ configure: (inout Client.Configuration) -> Void) throws -> Client {
            let recorder = try HARRecorder(file: recording)
            return Client(baseURL: site.server.url) {
                $0.timeouts = .patient
                $0.log = CallLog(.body) { [weak self] entry in self?.add("\(entry)") }
                $0.observers.append(recorder)
                $0.observe { [weak self] in self?.add("\($0.kind)", $0.kind) }
                configure(&$0)
            }
        }

        private func add(_ text: String, _ value: Any? = nil) {
            var all = text
            if let value { dump(value, to: &all) }
            texts.withLock { $0.append(all) }
        }

        /// Runs a call that fails, and records what it shows.
        func fail(_ client: Client) async {
            let call = Fetch<String>(.get("/a"), of: client).start()
            do {
                _ = try await call.value
                Issue.record("the call has not failed")
            } catch {
                add("\(error)", error)
                add(error.localizedDescription)
                guard let error = error as? RequestError else { return }
                add(error.debugDescription)
                add("\(error.message) \(error.failureReason ?? "")")
            }
            add("\(call) \(call.explanation.map { "\($0)" } ?? "") \(call.curlCommand ?? "")", call)
        }

        func check(_ secrets: [String], _ client: Client) async throws {
            await client.shutdown()
            add(try String(contentsOf: recording, encoding: .utf8))
            let texts = texts.withLock(\.self)
            #expect(texts.contains { $0.contains("…") && $0.contains("theme solarized, 1735689600") })
            for text in texts {
                for secret in secrets where text.contains(secret) { Issue.record("\(secret) is in: \(text)") }
            }
        }
    }
}
