import Foundation
import LoopbackServer
import TangoAuth
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// A loopback server in the place of an OAuth 2 server.
final class TokenEndpoint: Sendable {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)

    let site: Site
    let client: Client
    let clock = ManualClock()

    init(_ configure: (inout Client.Configuration) -> Void = { _ in }) throws {
        site = try Site()
        let clock = clock
        client = Client(baseURL: site.server.url) {
            $0.timeouts = .patient
            $0.clock = clock
            $0.now = { Self.now }
            configure(&$0)
        }
    }

    var server: LoopbackServer { site.server }
    var context: AuthenticationContext { AuthenticationContext(client: client) }

    func url(_ path: String) throws -> URL { try #require(URL(string: path, relativeTo: server.url)).absoluteURL }

    func oauth(
        _ grant: OAuth2.Grant, client: OAuthClient = OAuthClient(id: "app", secret: "shh-shh"),
        fields: [String: String] = [:]
    ) throws -> OAuth2 {
        OAuth2(
            tokenURL: try url("/token"), client: client, grant: grant, revocationURL: try url("/revoke"),
            fields: fields)
    }

    /// Returns the body of the next request.
    func form() async throws -> String {
        String(decoding: try await server.next().body, as: UTF8.self)
    }

    static let token = #"{"access_token":"first","token_type":"Bearer","expires_in":3600,"refresh_token":"r-1234567"}"#
}
