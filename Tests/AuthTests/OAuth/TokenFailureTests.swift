import Foundation
import LoopbackServer
import TangoPromise
import Testing

@testable import TangoAuth
@testable import TangoRequest
@testable import TestSupport

@Suite(.timeLimit(.minutes(20)))
struct TokenFailureTests {
    private static func decide(_ failure: TokenFailure, failures: Int = 1, random: Double = 0) -> TokenDecision {
        failure.decision(failures: failures, retries: 3, delay: .seconds(1), random: random)
    }

    @Test(arguments: [
        (OAuthError(.invalidGrant, ""), TokenFailure.invalidGrant),
        (OAuthError(.invalidGrant, "", status: 503), .invalidGrant),
        (OAuthError(.authorizationPending, ""), .pending),
        (OAuthError(.slowDown, ""), .tooFast),
        (OAuthError(.serverError, ""), .passing(wait: nil)),
        (OAuthError(.temporarilyUnavailable, "", retryAfter: .seconds(3)), .passing(wait: .seconds(3))),
        (OAuthError(.invalidRequest, "", status: 503), .passing(wait: nil)),
        (OAuthError(.invalidRequest, "", status: 429), .passing(wait: nil)),
        (OAuthError(.invalidRequest, "", status: 400), .final),
        (OAuthError(.invalidClient, "", status: 401), .final),
        (OAuthError(.invalidScope, ""), .final),
        (OAuthError(.accessDenied, ""), .final),
        (OAuthError(.expiredToken, ""), .final),
        (OAuthError(.badResponse, "", status: 200), .final),
        (OAuthError(.badTokenType, "", status: 200), .final),
    ])
    func errorOfTheServerIsClassified(_ error: OAuthError, _ failure: TokenFailure) {
        #expect(TokenFailure(error) == failure)
    }

    @Test(arguments: [
        (RequestError.Code.cannotConnect, RequestError.Phase.connect, TokenFailure.passing(wait: nil)),
        (.hostNotFound, .connect, .passing(wait: nil)), (.connectionLost, .wait, .passing(wait: nil)),
        (.idleTimedOut, .wait, .passing(wait: nil)), (.offline, .connect, .passing(wait: nil)),
        (.untrusted, .connect, .final), (.badURL, .prepare, .final), (.shutDown, .prepare, .final),
        (.signInRequired, .prepare, .final),
    ])
    func errorOfTheRequestIsClassified(_ code: RequestError.Code, _ phase: RequestError.Phase, _ failure: TokenFailure)
    {
        #expect(TokenFailure(RequestError(code, phase: phase, detail: "")) == failure)
    }

    @Test func statusIsClassified() {
        let rows: [(HTTPStatus, String?, TokenFailure)] = [
            (503, nil, .passing(wait: nil)), (503, "9", .passing(wait: .seconds(9))), (502, nil, .passing(wait: nil)),
            (404, nil, .final), (404, "9", .final), (302, nil, .final),
        ]
        for (status, wait, failure) in rows {
            let response = HTTPResponse(status: status, headers: ["Retry-After": wait])
            let error = RequestError(.badStatus, phase: .decode, detail: "", response: response)
            #expect(TokenFailure(error) == failure)
        }
        #expect(TokenFailure(CancellationError()) == .final)
    }

    @Test func decisionFollowsTheTable() {
        #expect(Self.decide(.invalidGrant) == .signOut)
        #expect(Self.decide(.final) == .giveUp)
        #expect(Self.decide(.pending) == .giveUp)
        #expect(Self.decide(.passing(wait: nil)) == .retry(after: .seconds(1)))
        #expect(Self.decide(.passing(wait: nil), failures: 2) == .retry(after: .seconds(2)))
        #expect(Self.decide(.passing(wait: nil), failures: 3) == .retry(after: .seconds(4)))
        #expect(Self.decide(.passing(wait: nil), failures: 3, random: 1) == .retry(after: .seconds(2)))
        #expect(Self.decide(.passing(wait: nil), failures: 4) == .giveUp)
        #expect(Self.decide(.passing(wait: .seconds(7)), failures: 3) == .retry(after: .seconds(7)))
        #expect(Self.decide(.passing(wait: .seconds(61))) == .giveUp)
        #expect(Self.decide(.passing(wait: .seconds(7)), failures: 4) == .giveUp)
        let many = TokenFailure.passing(wait: nil).decision(
            failures: 1000, retries: 5000, delay: .seconds(1), random: 0)
        #expect(many == .retry(after: .seconds(30)))
    }

    @Test func sourceDecidesByTheError() async throws {
        let endpoint = try TokenEndpoint()
        var oauth = try endpoint.oauth(.clientCredentials())
        #expect(await oauth.decision(after: OAuthError(.invalidGrant, ""), failures: 1) == .signOut)
        oauth.retries = 0
        #expect(await oauth.decision(after: OAuthError(.serverError, ""), failures: 1) == .giveUp)
    }

    @Test(arguments: [
        (HTTPStatus.unauthorized, [String](), TokenRejection?.some(.invalidToken)),
        (.unauthorized, [#"Bearer realm="a", error="invalid_token""#], .invalidToken),
        (.unauthorized, [#"Basic realm="a""#], .invalidToken),
        (.forbidden, [], nil), (.ok, [#"Bearer error="insufficient_scope""#], nil),
        (.forbidden, [#"Bearer error="invalid_token""#], nil),
        (
            .forbidden, [#"Bearer realm="a", error="insufficient_scope", scope="read write""#],
            .insufficientScope(["read", "write"])
        ),
        (.unauthorized, [#"bearer ERROR = insufficient_scope"#], .insufficientScope([])),
        (.forbidden, [#"Basic realm="a, b", Bearer error="insufficient_scope""#], .insufficientScope([])),
        (.forbidden, [#"Digest a="b""#, #"Bearer error="insufficient_scope""#], .insufficientScope([])),
        (.unauthorized, [#"Bearer realm="a", Other error="insufficient_scope""#], .invalidToken),
        (.unauthorized, [#"Bearer realm="x error=\"insufficient_scope\"""#], .invalidToken),
        (.forbidden, [#"Bearer realm="a, error="insufficient_scope"#], nil),
    ])
    func rejectionIsRead(_ status: HTTPStatus, _ values: [String], _ rejection: TokenRejection?) {
        let headers = Headers(values.map { ("WWW-Authenticate", $0) })
        #expect(TokenRejection.of(HTTPResponse(status: status, headers: headers)) == rejection)
    }
}
