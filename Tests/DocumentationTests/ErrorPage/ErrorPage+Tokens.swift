#if os(Linux)
    import Foundation
    import LoopbackServer
    @testable import TangoAuth

    @testable import TangoRequest
    @testable import TestSupport

    /// Errors of tokens: those of OAuth 2, and those of stores.
    extension ErrorPage {
        mutating func addTokens() async throws {
            try await tokenResponses()
            try await callbacks()
            try await tokenStores()
        }

        private static let redirect = URL(string: "com.example.app:/signed-in")

        private static func oauth(
            at server: LoopbackServer, issuer: String? = nil, fields: [String: String] = [:]
        ) -> OAuth2 {
            OAuth2(
                tokenURL: server.url("/token"), client: OAuthClient(id: "app"),
                grant: .authorizationCode(
                    at: server.url("/authorize"), redirectURL: redirect ?? server.url, issuer: issuer, fields: fields))
        }

        private mutating func tokenResponses() async throws {
            let server = try LoopbackServer()
            let context = AuthenticationContext(client: Client(baseURL: server.url))
            let oauth = OAuth2(
                tokenURL: server.url("/token"), client: OAuthClient(id: "app"), grant: .clientCredentials())
            let replies: [(String, Response)] = [
                (
                    "The server rejects a refresh token.",
                    .json(#"{"error":"invalid_grant","error_description":"Token expired"}"#, status: 400)
                ),
                ("A token endpoint responds with a page.", .text("<html>Sign in</html>")),
                ("A token endpoint responds with an empty object.", .json("{}")),
                ("A token with a line break.", .json(#"{"access_token":"a\nb"}"#)),
                ("A token that is not a bearer token.", .json(#"{"access_token":"a","token_type":"DPoP"}"#)),
                ("A token endpoint fails without an error of OAuth 2.", .status(502)),
            ]
            for (cause, reply) in replies {
                server.enqueue(reply)
                await add(cause) { try await oauth.token(replacing: nil, context: context) }
            }
            server.enqueue(.json(#"{"device_code":"d","user_code":"u","verification_uri":"app:sign-in"}"#))
            let device = OAuth2(
                tokenURL: server.url("/token"), client: OAuthClient(id: "tv"),
                grant: .device(at: server.url("/device")) { _ in })
            await add("A code for a device without a web page.") {
                try await device.token(replacing: nil, context: context)
            }
            await add("A user has not signed in, and the grant needs one.") {
                try await Self.oauth(at: server).token(replacing: nil, context: context)
            }
        }

        private mutating func callbacks() async throws {
            let server = try LoopbackServer()
            let issuer = "https://login.example.com"
            let request = try Self.oauth(at: server, issuer: issuer).authorizationRequest()
            let state = "state=\(request.state)"
            let rows = [
                ("A callback with another `state`.", "code=c&state=x"),
                ("A callback without `iss`, and an issuer is set.", "code=c&\(state)"),
                ("A callback of another issuer.", "code=c&\(state)&iss=https://example.com"),
                ("A callback without a code.", "\(state)&iss=\(issuer)"),
                ("A callback with two codes.", "code=c&code=d&\(state)&iss=\(issuer)"),
                ("The user denies the request.", "error=access_denied&\(state)&iss=\(issuer)"),
            ]
            for (cause, query) in rows {
                guard let url = URL(string: "com.example.app:/signed-in?\(query)") else { continue }
                await add(cause) { try request.code(in: url) }
            }
            await add("The fields of a grant contain `state`.") {
                try Self.oauth(at: server, fields: ["state": "x"]).authorizationRequest()
            }
            await add("A sign-in with another grant.") {
                try OAuth2(tokenURL: server.url, client: OAuthClient(id: "app"), grant: .clientCredentials())
                    .authorizationRequest()
            }
        }

        private mutating func tokenStores() async throws {
            let folder = TemporaryFolder()
            let file = folder.url.appending(path: "token")
            let stored = StoredToken(token: Token("a"), identity: "1")
            try Data("{".utf8).write(to: file)
            await add("The file of a token is damaged.") { try FileTokenStore(file).load() as Any }
            await add("A key of a token store with 16 bytes.") {
                try await EncryptedTokenStore(file, key: Data(count: 16)).save(stored)
            }
            try await EncryptedTokenStore(file, key: Data(count: 32)).save(stored)
            await add("The file of a token is encrypted with another key.") {
                try EncryptedTokenStore(file, key: Data(1...32)).load() as Any
            }
            await add("The file of a token is a folder.") { try FileTokenStore(folder.url).load() as Any }
            await add("The URL of a token store is a web address.") {
                try FileTokenStore(folder.url("https://example.com/token")).load() as Any
            }
            await add("The folder of a token store is a file.") {
                try await FileTokenStore(file.appending(path: "token")).save(stored)
            }
            await add("A token whose date of expiry is not a number.") {
                try await FileTokenStore(file).save(
                    StoredToken(
                        token: Token("a", expires: Date(timeIntervalSince1970: .nan)), identity: "1"))
            }
        }
    }

    extension TemporaryFolder {
        fileprivate func url(_ text: String) -> URL { URL(string: text) ?? url }
    }
#endif
