import Foundation
import LoopbackServer
import Testing

@testable import TangoAuth
@testable import TangoRequest
@testable import TestSupport

@Suite(.timeLimit(.minutes(20)))
struct AuthorizationRequestTests {
    private static let redirect = url("com.example.app:/signed-in?a=b")

    private static func url(_ text: String) -> URL { URL(string: text) ?? URL(filePath: "/") }

    private static func oauth(
        at text: String = "https://login.example.com/authorize", scopes: [String] = ["openid", "a b"],
        issuer: String? = nil, fields: [String: String] = [:]
    ) -> OAuth2 {
        OAuth2(
            tokenURL: url("https://login.example.com/token"), client: OAuthClient(id: "app&x"),
            grant: .authorizationCode(
                at: url(text), redirectURL: redirect, scopes: scopes, issuer: issuer, fields: fields))
    }

    private static func request(issuer: String? = nil) throws -> AuthorizationRequest {
        try oauth(issuer: issuer).authorizationRequest(
            nonce: nil, state: "state-of-this-request", key: ProofKey(verifier: "verifier-of-this-request"))
    }

    // MARK: PKCE

    @Test func challengeIsThatOfTheRFC() {
        // RFC 7636, appendix A and B.
        #expect(ProofKey.text(of: [3, 236, 255, 224, 193]) == "A-z_4ME")
        let octets: [UInt8] = [
            116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214, 191,
            240, 91, 88, 5, 88, 83, 132, 141, 121,
        ]
        let key = ProofKey(verifier: ProofKey.text(of: octets))
        #expect(key.verifier == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(key.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test func verifiersAreRandomAndOfTheAllowedCharacters() {
        let keys = (0..<1000).map { _ in ProofKey() }
        #expect(Set(keys).count == 1000)
        #expect(keys.allSatisfy { $0.verifier.utf8.count == 43 && $0.verifier.utf8.allSatisfy(\.isUnreserved) })
    }

    // MARK: The URL

    @Test func urlHasAllFields() throws {
        let key = ProofKey(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        let request = try Self.oauth(fields: ["prompt": "login", "login_hint": "ada@x"])
            .authorizationRequest(nonce: "n-1", state: "s-1", key: key)
        #expect(
            request.url.absoluteString
                == "https://login.example.com/authorize?response_type=code&client_id=app%26x"
                + "&redirect_uri=com.example.app%3A%2Fsigned-in%3Fa%3Db&scope=openid+a+b&state=s-1&nonce=n-1"
                + "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"
                + "&login_hint=ada%40x&prompt=login")
    }

    @Test(arguments: [
        ("https://a/b?tenant=x%20y&z", "https://a/b?tenant=x%20y&z&response_type=code&"),
        ("https://a/b?", "https://a/b?response_type=code&"),
        ("https://a/b#part", "https://a/b?response_type=code&"),
        ("https://a/b?c=d#part?e", "https://a/b?c=d&response_type=code&"),
        ("https://a", "https://a?response_type=code&"),
    ])
    func queryOfTheEndpointStays(_ text: String, _ start: String) throws {
        let url = try Self.oauth(at: text).authorizationRequest().url.absoluteString
        #expect(url.hasPrefix(start))
        #expect(!url.contains("#"))
    }

    @Test(arguments: ["state", "code_challenge", "response_type", "client_id"])
    func fieldsOfTheRequestCannotBeReplaced(_ name: String) {
        for oauth in [Self.oauth(fields: [name: "x"]), Self.oauth(at: "https://a/b?\(name)=x")] {
            #expect { try oauth.authorizationRequest() } throws: { error in
                OAuthError.Code.badSettings ~= error && "\(error)".contains(name)
            }
        }
    }

    @Test func otherGrantsHaveNoRequest() {
        let oauth = OAuth2(
            tokenURL: Self.redirect, client: OAuthClient(id: "app"), grant: .clientCredentials())
        #expect { try oauth.authorizationRequest() } throws: { OAuthError.Code.badSettings ~= $0 }
    }

    @Test func eachRequestHasSecretsOfItsOwn() throws {
        let requests = try (0..<100).map { _ in try Self.oauth().authorizationRequest() }
        #expect(Set(requests.map(\.state)).count == 100)
        #expect(Set(requests.map(\.verifier)).count == 100)
    }

    // MARK: The callback

    private static let state = "state=state-of-this-request"

    @Test(arguments: [
        ("com.example.app:/signed-in?a=b&code=c%2B1&\(state)", "c+1"),
        ("https://example.com/cb?\(state)&code=c-1&iss=https://other#x", "c-1"),
    ])
    func codeOfACallbackIsRead(_ text: String, _ code: String) throws {
        #expect(try Self.request().code(in: Self.url(text)) == code)
    }

    @Test(arguments: [
        ("a:/?code=c", OAuthError.Code.stateMismatch),
        ("a:/?code=c&state=", .stateMismatch),
        ("a:/?code=c&state=state-of-this-requesu", .stateMismatch),
        ("a:/?code=c&state=state-of-this-request%20", .stateMismatch),
        ("a:/?code=c&state=STATE-OF-THIS-REQUEST", .stateMismatch),
        ("a:/#code=c&\(state)", .stateMismatch),
        // An error without the state may be an attack too.
        ("a:/?error=access_denied", .stateMismatch),
        ("a:/?\(state)", .badResponse),
        ("a:/?code=&\(state)", .badResponse),
        ("a:/?code=c&code=d&\(state)", .badResponse),
        ("a:/?code=c&\(state)&\(state)", .badResponse),
        ("a:/?code=c&\(state)&error=access_denied", .accessDenied),
        ("a:/?error=temporarily_unavailable&\(state)", .temporarilyUnavailable),
    ])
    func otherCallbackIsRefused(_ text: String, _ code: OAuthError.Code) throws {
        let request = try Self.request()
        #expect { try request.code(in: Self.url(text)) } throws: { code ~= $0 }
    }

    @Test func errorOfACallbackIsTyped() throws {
        let request = try Self.request()
        let url = Self.url(
            "a:/?\(Self.state)&error=access_denied&error_description=No%0Astate-of-this-request&error_uri=u")
        #expect(throws: OAuthError(.accessDenied, "No …", uri: "u")) { try request.code(in: url) }
    }

    @Test(arguments: [
        ("iss=https%3A%2F%2Flogin.example.com", true), ("iss=https://login.example.com/", false),
        ("iss=https://evil.example.com", false), ("", false),
        ("iss=https://login.example.com&iss=https://evil.example.com", false),
    ])
    func issuerIsCompared(_ field: String, _ isAccepted: Bool) throws {
        let request = try Self.request(issuer: "https://login.example.com")
        for rest in ["code=c", "error=access_denied"] {
            let url = Self.url("a:/?\(rest)&\(Self.state)&\(field)")
            do {
                #expect(try request.code(in: url) == "c" && isAccepted)
            } catch let error as OAuthError {
                let expected: OAuthError.Code =
                    isAccepted ? .accessDenied : field.contains("&") ? .badResponse : .issuerMismatch
                #expect(error.code == expected)
            }
        }
    }

    @Test func secretsAreComparedByTheirBytes() {
        #expect(ProofKey.isSame("abc", "abc"))
        #expect(!ProofKey.isSame("abc", "abd"))
        #expect(!ProofKey.isSame("abc", "ab"))
        #expect(!ProofKey.isSame("\u{E9}", "e\u{301}"))
    }

    // MARK: The exchange

    @Test func codeIsExchangedAfterTheApplicationWasClosed() async throws {
        let endpoint = try TokenEndpoint()
        endpoint.server.enqueue(.json(TokenEndpoint.token))
        let oauth = try endpoint.oauth(
            .authorizationCode(at: try endpoint.url("/authorize"), redirectURL: Self.redirect),
            client: OAuthClient(id: "app"))
        let saved = try JSONEncoder().encode(try oauth.authorizationRequest())

        let request = try JSONDecoder().decode(AuthorizationRequest.self, from: saved)
        let callback = Self.url("com.example.app:/signed-in?code=c%26d&state=\(request.state)")
        let token = try await oauth.token(for: request, callback: callback, client: endpoint.client)

        #expect(token.value == "first")
        #expect(
            try await endpoint.form()
                == "grant_type=authorization_code&code=c%26d&redirect_uri=com.example.app%3A%2Fsigned-in%3Fa%3Db"
                + "&code_verifier=\(request.verifier)&client_id=app")
        #expect(request.url.absoluteString.contains(ProofKey(verifier: request.verifier).challenge))
    }

    @Test func sourceCanOpenTheBrowserItself() async throws {
        let endpoint = try TokenEndpoint()
        endpoint.server.enqueue(.json(TokenEndpoint.token))
        let oauth = try endpoint.oauth(
            .authorizationCode(at: try endpoint.url("/authorize"), redirectURL: Self.redirect) { url in
                let fields = Query(parsing: URLParts(url.absoluteString[...]).query ?? "")
                guard case .text(let state)? = fields["state"] else { throw CancellationError() }
                return Self.url("com.example.app:/signed-in?code=c-1&state=\(state)")
            })
        #expect(try await oauth.token(replacing: nil, context: endpoint.context).value == "first")
        #expect(try await endpoint.form().hasPrefix("grant_type=authorization_code&code=c-1&"))
    }

    @Test func forgedCallbackSendsNothing() async throws {
        let endpoint = try TokenEndpoint()
        let oauth = try endpoint.oauth(
            .authorizationCode(at: try endpoint.url("/authorize"), redirectURL: Self.redirect))
        let request = try oauth.authorizationRequest()
        await #expect {
            try await oauth.token(for: request, callback: Self.url("a:/?code=c&state=x"), client: endpoint.client)
        } throws: { OAuthError.Code.stateMismatch ~= $0 }
        #expect(endpoint.server.requests.isEmpty)
    }
}
