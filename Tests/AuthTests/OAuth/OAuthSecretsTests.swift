import Foundation
import LoopbackServer
import Synchronization
import TangoPromise
import Testing

@testable import TangoAuth
@testable import TangoRequest
@testable import TestSupport

/// Secrets in each place of OAuth 2, searched for in every output.
@Suite(.timeLimit(.minutes(20)))
struct OAuthSecretsTests {
    /// Each secret contains this text.
    private static let mark = "hidden-7d1f"

    private static func secret(_ name: String) -> String { "\(name)-\(mark)" }

    private func outputs(_ value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        var texts = ["\(value)", String(reflecting: value), dumped]
        if let error = value as? any Error { texts += [error.localizedDescription, "\(error as NSError)"] }
        return texts
    }

    private func check(_ value: Any, sourceLocation: SourceLocation = #_sourceLocation) {
        for text in outputs(value) {
            #expect(!text.contains(Self.mark), "\(text)", sourceLocation: sourceLocation)
        }
    }

    private static let clients = [
        OAuthClient(id: "app", secret: secret("client")),
        OAuthClient(id: "app", secret: secret("client"), authentication: .post),
    ]

    private func grants(_ endpoint: TokenEndpoint) throws -> [OAuth2.Grant] {
        let url = try endpoint.url("/authorize")
        return [
            .clientCredentials(), .password(user: "ada", password: Self.secret("password")),
            .refreshToken(Self.secret("refresh")), .other("x:y", fields: ["assertion": Self.secret("assertion")]),
            .authorizationCode(at: url, redirectURL: url) { opened in
                let fields = Query(parsing: URLParts(opened.absoluteString[...]).query ?? "")
                guard case .text(let state)? = fields["state"],
                    let callback = URL(string: "a:/?code=\(Self.secret("code"))&state=\(state)")
                else { throw CancellationError() }
                return callback
            },
        ]
    }

    @Test(arguments: clients)
    func noErrorRepeatsASecret(_ application: OAuthClient) async throws {
        check(application)
        // The server repeats all that it was sent.
        let replies: [@Sendable (RecordedRequest) -> Response] = [
            { request in
                let form = Query(parsing: String(decoding: request.body, as: UTF8.self))
                let words = form.fields.map { "\($0.value)" }.joined(separator: " ").replacing("\"", with: "'")
                let header = request.headers["authorization"] ?? ""
                return .json(
                    #"{"error":"invalid_grant","error_description":"bad \#(words) \#(header)","error_uri":"https://a/?x=\#(words)"}"#,
                    status: 400)
            },
            { request in .text("no \(String(decoding: request.body, as: UTF8.self))", status: 500) },
            { request in .text(String(decoding: request.body, as: UTF8.self)) },
            { _ in .json(#"{"access_token":"\#(Self.secret("token")) x","refresh_token":"\#(Self.secret("r"))"}"#) },
            { _ in .json(#"{"access_token":"\#(Self.secret("token"))","token_type":"mac"}"#) },
            { _ in Response.text("lost").failing(.reset, at: .response) },
        ]
        let log = Mutex("")
        let endpoint = try TokenEndpoint {
            $0.log = CallLog(.body) { line in log.withLock { $0 += "\(line)\n" } }
        }
        for reply in replies {
            endpoint.server.answer("/token", reply)
            for grant in try grants(endpoint) {
                let oauth = try endpoint.oauth(grant, client: application)
                check(oauth)
                check(grant)
                do {
                    _ = try await oauth.token(replacing: nil, context: endpoint.context)
                    Issue.record("no error")
                } catch { check(error) }
            }
            endpoint.server.answer("/revoke", reply)
            do {
                try await endpoint.oauth(.refreshToken, client: application).revoke(
                    Token(Self.secret("token"), refreshToken: Self.secret("refresh")), context: endpoint.context)
            } catch { check(error) }
        }
        let text = log.withLock { $0 }
        #expect(text.contains("/token"))
        #expect(!text.contains(Self.mark), "\(text)")
    }

    @Test func valuesOfASignInAreHidden() throws {
        let endpoint = try TokenEndpoint()
        let url = try endpoint.url("/authorize")
        let oauth = try endpoint.oauth(.authorizationCode(at: url, redirectURL: url))
        let request = try oauth.authorizationRequest(
            nonce: nil, state: Self.secret("state"), key: ProofKey(verifier: Self.secret("verifier")))
        check(request)
        for text in [
            "a:/?code=\(Self.secret("c"))&state=x",
            "a:/?error=\(request.verifier)&state=\(request.state)&error_description=\(request.state)",
        ] {
            let callback = try #require(URL(string: text))
            do {
                _ = try request.code(in: callback)
                Issue.record("no error")
            } catch let error as OAuthError {
                for text in outputs(error.detail) { #expect(!text.contains(Self.mark)) }
            }
        }
        let body =
            #"{"device_code":"\#(Self.secret("device"))","user_code":"\#(Self.secret("user"))","verification_uri":"https://a/","verification_uri_complete":"https://a/?user_code=\#(Self.secret("user"))"}"#
        check(
            try TokenResponse(HTTPResponse(status: 200, body: Data(body.utf8)), now: .now)
                .deviceAuthorization(.standard))
    }

    @Test func storesHideTheirTokens() async throws {
        let stored = StoredToken(
            token: Token(
                Self.secret("token"), refreshToken: Self.secret("refresh"), values: ["id_token": Self.secret("id")]),
            identity: "ada")
        check(stored)
        check(MemoryTokenStore(stored))
        check(FileTokenStore(URL(filePath: "/tmp/a")))
        check(EncryptedTokenStore(URL(filePath: "/tmp/a"), key: Data(Self.secret("key of 32 bytes 123").utf8)))
        let files = ScratchFiles()
        let file = try files.file("token", Data("{\"\(Self.secret("token"))".utf8))
        do {
            _ = try FileTokenStore(file).load()
            Issue.record("no error")
        } catch { check(error) }
    }
}
