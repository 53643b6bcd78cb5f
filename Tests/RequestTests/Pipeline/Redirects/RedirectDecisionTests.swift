import Foundation
import TangoAuth
import Testing

@testable import TangoRequest
@testable import TestSupport

/// The table of decisions about redirects.
@Suite(.timeLimit(.minutes(20)))
struct RedirectDecisionTests {
    private typealias Situation = RedirectDecision.Situation

    private static func request(_ method: HTTPMethod = .get, _ url: String = "https://a.example/x") throws
        -> HTTPRequest
    {
        HTTPRequest(
            method: method, url: try #require(URL(string: url)),
            headers: [
                "Content-Type": "text/plain", "Authorization": "Bearer 1", "Accept": "text/plain", "Host": "other",
            ],
            body: method == .get || method == .head ? .none : .string("body"))
    }

    private static func decision(
        _ status: HTTPStatus = 302, _ locations: [String] = ["/y"], _ situation: Situation
    ) -> RedirectDecision {
        RedirectDecision.of(
            HTTPResponse(status: status, headers: Headers(locations.map { ("Location", $0) })), situation)
    }

    private static func next(
        _ status: HTTPStatus = 302, _ location: String = "/y", _ situation: Situation
    ) -> HTTPRequest? {
        guard case .follow(let request) = decision(status, [location], situation) else { return nil }
        return request
    }

    private static func failure(_ decision: RedirectDecision) -> (RequestError.Code, String)? {
        guard case .fail(let code, let detail) = decision else { return nil }
        return (code, detail)
    }

    // MARK: Statuses and methods

    @Test(
        arguments: [
            (301, .get, .get), (301, .head, .head), (301, .post, .get), (301, .put, .put), (301, .delete, .delete),
            (302, .get, .get), (302, .post, .get), (302, .patch, .patch), (303, .get, .get), (303, .head, .head),
            (303, .post, .get), (303, .put, .get), (303, .delete, .get), (307, .get, .get), (307, .post, .post),
            (307, .put, .put), (308, .post, .post), (308, .delete, .delete), (308, .head, .head),
        ] as [(HTTPStatus, HTTPMethod, HTTPMethod)])
    func methodFollowsTheStatus(_ status: HTTPStatus, _ method: HTTPMethod, _ next: HTTPMethod) throws {
        let found = try #require(Self.next(status, "/y", Situation(request: try Self.request(method))))
        #expect(found.method == next)
        #expect(found.url.absoluteString == "https://a.example/y")
        let keepsBody = method == next && method != .get && method != .head
        #expect(found.body.isEmptyBody == !keepsBody)
        #expect(found.headers.contains("Content-Type") == (method == next && (status.code != 303 || method == .head)))
        #expect(found.headers["Accept"] == "text/plain")
        // The origin is the same.
        #expect(found.headers["Authorization"] == "Bearer 1")
        #expect(found.headers["Host"] == "other")
    }

    @Test(arguments: [200, 201, 204, 300, 304, 305, 306, 309, 399, 404, 503] as [HTTPStatus])
    func otherStatusesAreAccepted(_ status: HTTPStatus) throws {
        guard case .accept = Self.decision(status, ["/y"], Situation(request: try Self.request())) else {
            Issue.record("\(status) is followed")
            return
        }
    }

    @Test(arguments: [[], [""]])
    func missingLocationIsAccepted(_ locations: [String]) throws {
        guard case .accept = Self.decision(302, locations, Situation(request: try Self.request())) else {
            Issue.record("followed")
            return
        }
    }

    @Test func severalLocationsHaveToBeEqual() throws {
        let situation = Situation(request: try Self.request())
        let failure = Self.failure(Self.decision(302, ["/y", "/z"], situation))
        #expect(failure?.0 == .badRedirect)
        #expect(failure?.1.contains("several") == true)
        guard case .follow = Self.decision(302, ["/y", "/y"], situation) else {
            Issue.record("equal locations are refused")
            return
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308] as [HTTPStatus])
    func bodyThatCanBeReadOnceIsNotSentAgain(_ status: HTTPStatus) throws {
        var request = try Self.request(.put)
        request.body = .stream(AsyncStream<Data> { $0.finish() })
        let decision = Self.decision(status, ["/y"], Situation(request: request))
        switch decision {
        case .accept: #expect(status != 303)
        case .follow(let next): #expect(status == 303 && next.body.isEmptyBody)
        case .fail(let code, _): Issue.record("\(code)")
        }
    }

    // MARK: Credentials

    @Test(arguments: [
        // The origin of the request, and the next one; whether both belong to the client; whether credentials stay.
        ("https://a.example/y", false, true), ("https://a.example:443/y", false, true),
        ("https://A.example/y", false, true), ("https://a.example:444/y", false, false),
        ("https://b.example/y", false, false), ("https://a.example.evil/y", false, false),
        ("https://b.example/y", true, true), ("https://c.example/y", true, false),
    ])
    func credentialsStayWithTheirOrigin(_ location: String, isTrusted: Bool, stays: Bool) throws {
        var situation = Situation(request: try Self.request())
        if isTrusted { situation.allowsCredentials = { ["a.example", "b.example"].contains($0.host) } }
        let next = try #require(Self.next(307, location, situation))
        #expect(next.headers.contains("Authorization") == stays)
        #expect(next.headers["Accept"] == "text/plain")
    }

    @Test func credentialsNeedTrustInBothOrigins() throws {
        var situation = Situation(request: try Self.request())
        situation.allowsCredentials = { $0.host == "b.example" }
        #expect(Self.next(307, "https://b.example/", situation)?.headers.contains("Authorization") == false)
        // A host that the user has set belongs to the old origin.
        #expect(Self.next(307, "https://b.example/", situation)?.headers.contains("Host") == false)
    }

    // MARK: Refusals

    @Test func insecureRedirectsAreRefusedUnlessAllowed() throws {
        var situation = Situation(request: try Self.request())
        let failure = Self.failure(Self.decision(302, ["http://a.example/y"], situation))
        #expect(failure?.0 == .badRedirect)
        #expect(failure?.1.contains("allowingInsecure") == true)
        situation.policy = .follow().allowingInsecure()
        let next = try #require(Self.next(302, "http://a.example/y", situation))
        #expect(!next.headers.contains("Authorization"))
        // The other direction is safe.
        #expect(
            Self.next(302, "https://a.example/y", Situation(request: try Self.request(.get, "http://a.example/")))
                != nil)
    }

    @Test func socketLeadsToOneOrigin() throws {
        var situation = Situation(request: try Self.request())
        situation.usesSocket = true
        #expect(Self.failure(Self.decision(302, ["https://b.example/"], situation))?.0 == .badRedirect)
        #expect(Self.next(302, "/y", situation) != nil)
    }

    @Test(arguments: [0, 1, 3])
    func limitCountsRedirects(_ limit: Int) throws {
        var situation = Situation(request: try Self.request(), policy: .follow(limit: limit))
        for number in 0..<limit {
            #expect(Self.next(302, "/\(number)", situation) != nil)
            situation.earlier.append(try Self.request(.get, "https://a.example/before/\(number)"))
        }
        #expect(Self.failure(Self.decision(302, ["/y"], situation))?.0 == .tooManyRedirects)
    }

    @Test func sameRequestMayComeTwice() throws {
        var situation = Situation(request: try Self.request())
        // A server that sets a cookie and redirects to the same URL.
        #expect(Self.next(302, "/x", situation) != nil)
        situation.earlier = [try Self.request()]
        let failure = Self.failure(Self.decision(302, ["/x"], situation))
        #expect(failure?.0 == .tooManyRedirects)
        #expect(failure?.1.contains("loop") == true)
        // Another fragment is no other request, and another method is.
        #expect(Self.failure(Self.decision(302, ["/x#f"], situation))?.0 == .tooManyRedirects)
        situation.earlier = [try Self.request(.put)]
        #expect(Self.next(302, "/x", situation) != nil)
    }

    @Test func policyThatRefusesAcceptsEveryResponse() throws {
        for location in ["/y", "http://a.example/", "mailto:x"] {
            guard case .accept = Self.decision(302, [location], Situation(request: try Self.request(), policy: .refuse))
            else {
                Issue.record("\(location)")
                return
            }
        }
    }
}

extension Body {
    fileprivate var isEmptyBody: Bool {
        if case .none = content { true } else { false }
    }
}
