import Foundation
import LoopbackServer
import TangoAuth
import TangoRequest
import Testing

@testable import TestSupport

@Suite(.timeLimit(.minutes(20)))
struct GrantTests {
    /// A grant with its form on the wire.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let grant: OAuth2.Grant
        let form: String
    }

    static let rows = [
        Row(
            testDescription: "client credentials", grant: .clientCredentials(scopes: ["read", "a:b"]),
            form: "grant_type=client_credentials&scope=read+a%3Ab"),
        Row(
            testDescription: "client credentials without scopes", grant: .clientCredentials(),
            form: "grant_type=client_credentials"),
        Row(
            testDescription: "password", grant: .password(user: "ada+b@x", password: "p&ss w=rd%é", scopes: ["read"]),
            form: "grant_type=password&username=ada%2Bb%40x&password=p%26ss+w%3Drd%25%C3%A9&scope=read"),
        Row(
            testDescription: "an initial refresh token", grant: .refreshToken("r/1="),
            form: "grant_type=refresh_token&refresh_token=r%2F1%3D"),
        Row(
            testDescription: "another grant",
            grant: .other("urn:ietf:params:oauth:grant-type:jwt-bearer", fields: ["assertion": "a.b.c"]),
            form: "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=a.b.c"),
    ]

    @Test(arguments: rows)
    func eachGrantSendsItsForm(_ row: Row) async throws {
        let endpoint = try TokenEndpoint()
        endpoint.server.enqueue(.json(TokenEndpoint.token))

        let token = try await endpoint.oauth(row.grant).token(replacing: nil, context: endpoint.context)

        #expect(token.value == "first")
        #expect(token.refreshToken == "r-1234567")
        #expect(token.expires == TokenEndpoint.now.addingTimeInterval(3600))
        let request = try await endpoint.server.next()
        #expect(request.method == "POST")
        #expect(request.path == "/token")
        #expect(request.headers["content-type"] == "application/x-www-form-urlencoded")
        #expect(request.headers["accept"] == "application/json")
        #expect(String(decoding: request.body, as: UTF8.self) == row.form)
    }

    @Test func secretIsEncodedAsAFormBeforeBase64() async throws {
        // The first is the example of RFC 6749, 2.3.1.
        let rows = [
            ("s6BhdRkqt3", "7Fjfp0ZBr1KtDRbnfVdmIw", "czZCaGRSa3F0Mzo3RmpmcDBaQnIxS3REUmJuZlZkbUl3"),
            ("a:b c", "x%é", Data("a%3Ab+c:x%25%C3%A9".utf8).base64EncodedString()),
            ("app", "", Data("app:".utf8).base64EncodedString()),
        ]
        for (id, secret, expected) in rows {
            let endpoint = try TokenEndpoint()
            endpoint.server.enqueue(.json(TokenEndpoint.token))
            _ = try await endpoint.oauth(.clientCredentials(), client: OAuthClient(id: id, secret: secret))
                .token(replacing: nil, context: endpoint.context)
            let request = try await endpoint.server.next()
            #expect(request.headers["authorization"] == "Basic \(expected)")
            #expect(String(decoding: request.body, as: UTF8.self) == "grant_type=client_credentials")
        }
    }

    @Test func secretCanBeInTheForm() async throws {
        let endpoint = try TokenEndpoint()
        endpoint.server.enqueue(.json(TokenEndpoint.token))
        _ = try await endpoint.oauth(
            .clientCredentials(), client: OAuthClient(id: "a b", secret: "s&t", authentication: .post)
        ).token(replacing: nil, context: endpoint.context)
        let request = try await endpoint.server.next()
        #expect(request.headers["authorization"] == nil)
        let form = "grant_type=client_credentials&client_id=a+b&client_secret=s%26t"
        #expect(String(decoding: request.body, as: UTF8.self) == form)
    }

    @Test func publicApplicationSendsItsNameOnly() async throws {
        let endpoint = try TokenEndpoint()
        endpoint.server.enqueue(.json(TokenEndpoint.token))
        _ = try await endpoint.oauth(.refreshToken("r-1234567"), client: OAuthClient(id: "app"))
            .token(replacing: nil, context: endpoint.context)
        let request = try await endpoint.server.next()
        #expect(request.headers["authorization"] == nil)
        let form = "grant_type=refresh_token&refresh_token=r-1234567&client_id=app"
        #expect(String(decoding: request.body, as: UTF8.self) == form)
    }

    @Test func furtherFieldsFollowInOrderAndReplaceNothing() async throws {
        let endpoint = try TokenEndpoint()
        endpoint.server.enqueue(.json(TokenEndpoint.token))
        let fields = ["resource": "https://a", "audience": "b", "grant_type": "password"]
        _ = try await endpoint.oauth(.clientCredentials(scopes: ["read"]), fields: fields)
            .token(replacing: nil, context: endpoint.context)
        #expect(
            try await endpoint.form()
                == "grant_type=client_credentials&scope=read&audience=b&resource=https%3A%2F%2Fa")
    }

    // MARK: Refreshing

    @Test func refreshTokenIsRotated() async throws {
        let endpoint = try TokenEndpoint()
        endpoint.server.enqueue(
            .json(#"{"access_token":"second","token_type":"bearer","refresh_token":"r-7654321"}"#))
        let old = Token("first", refreshToken: "r-1234567")
        let token = try await endpoint.oauth(.refreshToken).token(replacing: old, context: endpoint.context)
        #expect(token == Token("second", refreshToken: "r-7654321"))
        #expect(try await endpoint.form() == "grant_type=refresh_token&refresh_token=r-1234567")
    }

    @Test(arguments: [#"{"access_token":"second"}"#, #"{"access_token":"second","refresh_token":""}"#])
    func omittedValuesOfARefreshStay(_ body: String) async throws {
        let endpoint = try TokenEndpoint()
        endpoint.server.enqueue(.json(body))
        let old = Token(
            "first", refreshToken: "r-1234567", expires: .distantPast, scopes: ["read"], values: ["id_token": "x.y.z"])
        let token = try await endpoint.oauth(.refreshToken).token(replacing: old, context: endpoint.context)
        #expect(
            token
                == Token("second", refreshToken: "r-1234567", scopes: ["read"], values: ["id_token": "x.y.z"]))
    }

    @Test func clientCredentialsUseNoRefreshToken() async throws {
        let endpoint = try TokenEndpoint()
        endpoint.server.enqueue(.json(TokenEndpoint.token))
        let old = Token("first", refreshToken: "r-1234567")
        _ = try await endpoint.oauth(.clientCredentials()).token(replacing: old, context: endpoint.context)
        #expect(try await endpoint.form() == "grant_type=client_credentials")
    }

    @Test func passwordIsSentAgainOnceTheRefreshTokenHasExpired() async throws {
        let endpoint = try TokenEndpoint()
        endpoint.server.enqueue(
            .json(#"{"error":"invalid_grant"}"#, status: 400), .json(TokenEndpoint.token))
        let token = try await endpoint.oauth(.password(user: "ada", password: "secret"))
            .token(replacing: Token("old", refreshToken: "r-0000000"), context: endpoint.context)
        #expect(token.value == "first")
        #expect(try await endpoint.form() == "grant_type=refresh_token&refresh_token=r-0000000")
        #expect(try await endpoint.form() == "grant_type=password&username=ada&password=secret")
    }

    @Test func userHasToSignInWithoutARefreshToken() async throws {
        let endpoint = try TokenEndpoint()
        let url = try endpoint.url("/authorize")
        for grant in [OAuth2.Grant.refreshToken, .authorizationCode(at: url, redirectURL: url)] {
            let oauth = try endpoint.oauth(grant)
            await #expect { try await oauth.token(replacing: Token("a"), context: endpoint.context) } throws: {
                $0.asRequestError?.code == .signInRequired
            }
        }
        #expect(endpoint.server.requests.isEmpty)
    }

    @Test func tokenRequestIsNotRedirected() async throws {
        let endpoint = try TokenEndpoint()
        endpoint.server.enqueue(.redirect(to: "/elsewhere", status: 307), .json(TokenEndpoint.token))
        let oauth = try endpoint.oauth(.clientCredentials())
        let error = await refusal { try await oauth.token(replacing: nil, context: endpoint.context) }
        #expect(error != nil)
        #expect(endpoint.server.requests.count == 1)
    }

    // MARK: Revoking

    @Test func refreshTokenIsRevokedFirst() async throws {
        let endpoint = try TokenEndpoint()
        endpoint.server.enqueue(.status(200), .status(200))
        try await endpoint.oauth(.refreshToken).revoke(
            Token("first", refreshToken: "r-1234567"), context: endpoint.context)
        let requests = try await endpoint.server.requests(count: 2)
        #expect(requests.map(\.path) == ["/revoke", "/revoke"])
        #expect(requests.allSatisfy { $0.headers["authorization"]?.hasPrefix("Basic ") == true })
        #expect(
            requests.map { String(decoding: $0.body, as: UTF8.self) } == [
                "token=r-1234567&token_type_hint=refresh_token", "token=first&token_type_hint=access_token",
            ])
    }

    @Test func bothTokensAreRevokedAlsoIfTheFirstFails() async throws {
        let endpoint = try TokenEndpoint()
        endpoint.server.enqueue(.status(503), .status(200))
        let oauth = try endpoint.oauth(.refreshToken)
        let error = await refusal {
            try await oauth.revoke(Token("first", refreshToken: "r-1234567"), context: endpoint.context)
        }
        #expect(error?.code == .badStatus)
        #expect(endpoint.server.requests.count == 2)
    }

    @Test func serverNeedNotRevokeAccessTokens() async throws {
        let endpoint = try TokenEndpoint()
        endpoint.server.enqueue(.status(200), .json(#"{"error":"unsupported_token_type"}"#, status: 400))
        try await endpoint.oauth(.refreshToken).revoke(
            Token("first", refreshToken: "r-1234567"), context: endpoint.context)
        endpoint.server.enqueue(.json(#"{"error":"unsupported_token_type"}"#, status: 400))
        let oauth = try endpoint.oauth(.refreshToken)
        await #expect { try await oauth.revoke(Token("first"), context: endpoint.context) } throws: {
            OAuthError.Code.unsupportedTokenType ~= $0
        }
    }

    @Test func nothingIsSentWithoutARevocationURL() async throws {
        let endpoint = try TokenEndpoint()
        var oauth = try endpoint.oauth(.refreshToken)
        oauth.revocationURL = nil
        try await oauth.revoke(Token("first"), context: endpoint.context)
        #expect(endpoint.server.requests.isEmpty)
    }
}
