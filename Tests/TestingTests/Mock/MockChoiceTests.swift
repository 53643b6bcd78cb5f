import Foundation
import Testing

@testable import TangoRequest
@testable import TangoTesting
@testable import TestSupport

/// The patterns of stubs and the choice among them, as tables.
struct MockChoiceTests {
    private final class GetUser: Request<String> {}
    private final class GetPosts: Request<String> {}

    private func stub(_ condition: MockStub.Condition) -> MockStub {
        MockStub(condition: condition, responses: [.status(200)], place: "")
    }

    private func stub(_ method: HTTPMethod, _ url: String) throws -> MockStub {
        stub(.pattern(method, try MockPattern(url)))
    }

    private func choice(
        _ url: String, _ method: HTTPMethod = .get, type: Any.Type? = nil, from stubs: [MockStub]
    ) throws -> MockChoice {
        MockChoice(HTTPRequest(method: method, url: try #require(URL(string: url))), type, from: stubs)
    }

    @Test(arguments: [
        ("/users", "http://a/users", true),
        ("/users", "https://b:81/users?page=2", true),
        ("/users", "http://a/users/", false),
        ("/users", "http://a/users/1", false),
        ("/users", "http://a/v1/users", true),
        ("/users", "http://a/superusers", false),
        ("/users/{id}", "http://a/users/1", true),
        ("/users/{id}", "http://a/users/", false),
        ("/users/*/posts", "http://a/users/1/posts", true),
        ("/users/*/posts", "http://a/users/1/2/posts", false),
        ("/files/**", "http://a/files/1/2", true),
        ("/files/**", "http://a/files", true),
        ("/files/**/name", "http://a/files/1/2/name", true),
        ("/a b", "http://a/a%20b", true),
        ("/a%20b", "http://a/a%20b", true),
        ("/", "http://a", true),
        ("/?page=1", "http://a/?sort=x&page=1", true),
        ("/?page=1", "http://a/?page=2", false),
        ("/?page=1", "http://a/", false),
        ("/?q=a+b", "http://a/?q=a%20b", true),
        ("https://a/users", "https://A:443/users", true),
        ("https://a/users", "http://a/users", false),
        ("https://a/users", "https://a/v1/users", false),
    ])
    func patternMatches(_ pattern: String, _ url: String, _ isMatch: Bool) throws {
        let choice = try choice(url, from: [stub(.get, pattern)])
        #expect((choice == .stub(0)) == isMatch)
    }

    @Test(arguments: [
        ("", #"the pattern "" is invalid: begin it with a slash, or with https://"#),
        ("users", #"the pattern "users" is invalid: begin it with a slash, or with https://"#),
        ("/{id", #"the pattern "/{id" is invalid: braces enclose a whole segment, as in /users/{id}"#),
        ("/a{id}", #"the pattern "/a{id}" is invalid: braces enclose a whole segment, as in /users/{id}"#),
        ("/{}", #"the pattern "/{}" is invalid: braces enclose a whole segment, as in /users/{id}"#),
    ])
    func badPatternIsAProblem(_ pattern: String, _ text: String) {
        #expect { try MockPattern(pattern) } throws: { ($0 as? MockProblem)?.text == text }
    }

    @Test func newerStubHasPriority() throws {
        let stubs = try [stub(.get, "/users/{id}"), stub(.get, "/users/1")]
        #expect(try choice("http://a/users/1", from: stubs) == .stub(1))
        #expect(try choice("http://a/users/2", from: stubs) == .stub(0))
        #expect(try choice("http://a/users/1", from: stubs.reversed()) == .stub(1))
    }

    @Test func newerEndOfAPathHasPriorityOverTheWholePath() throws {
        let stubs = try [stub(.get, "/v1/users"), stub(.get, "/users")]
        #expect(try choice("http://a/v1/users", from: stubs) == .stub(1))
        #expect(try choice("http://a/v1/users", from: stubs.reversed()) == .stub(1))
    }

    /// With steps back to each `**`, this takes longer than the test may run.
    @Test(.timeLimit(.minutes(1))) func manyRestsCostLittle() throws {
        let stubs = try [stub(.get, String(repeating: "/**/a", count: 40) + "/b")]
        #expect(try choice("http://a" + String(repeating: "/a", count: 400), from: stubs) != .stub(0))
        #expect(try choice("http://a" + String(repeating: "/a", count: 400) + "/b", from: stubs) == .stub(0))
    }

    @Test func typesAndConditionsMatch() throws {
        let stubs = [
            stub(.type(GetUser.self)), stub(.closure { $0.headers["X-Test"] != nil }),
        ]
        #expect(try choice("http://a/b", type: GetUser.self, from: stubs) == .stub(0))
        #expect(try choice("http://a/b", type: GetPosts.self, from: stubs) != .stub(0))
        let request = HTTPRequest(url: try #require(URL(string: "http://a/b")), headers: ["X-Test": "1"])
        #expect(MockChoice(request, nil, from: stubs) == .stub(1))
    }

    @Test(arguments: [
        ("http://a/users", "the nearest stub is POST /users: there the method is POST"),
        ("http://a/other", "the nearest stub is GET /posts?page=1: there the path is /posts; the query has page=1"),
        ("http://a/posts", "the nearest stub is GET /posts?page=1: there the query has page=1"),
        ("http://a/whole", "the nearest stub is GET https://b/whole: there the server is https://b"),
    ])
    func missNamesTheNearestStub(_ url: String, _ text: String) throws {
        let stubs = try [stub(.post, "/users"), stub(.get, "/posts?page=1"), stub(.get, "https://b/whole")]
        #expect(try choice(url, from: stubs) == .miss(text))
    }

    @Test func missWithoutStubsSaysHowToAddOne() throws {
        #expect(
            try choice("http://a", from: [])
                == .miss("there are no stubs: add one with mock.stub(.get, \"/path\", .json([:]))"))
        #expect(
            try choice("http://a", from: [stub(.type(GetUser.self))])
                == .miss("the nearest stub is GetUser: there the request is a GetUser"))
    }

    // MARK: Time

    @Test(
        arguments: [
            (Timeouts.none, [.seconds(9)], [.passes]),
            (Timeouts(idle: .seconds(5)), [.seconds(4), .seconds(4)], [.passes, .passes]),
            (Timeouts(idle: .seconds(5)), [.seconds(6)], [.timesOut(.idleTimedOut, after: .seconds(5))]),
            (Timeouts(idle: .seconds(5)), [.seconds(5)], [.timesOut(.idleTimedOut, after: .seconds(5))]),
            (
                Timeouts(idle: .seconds(5), attempt: .seconds(7)), [.seconds(4), .seconds(4)],
                [.passes, .timesOut(.attemptTimedOut, after: .seconds(3))]
            ),
            (Timeouts(idle: nil, total: .seconds(1)), [nil], [.timesOut(.totalTimedOut, after: .seconds(1))]),
            (Timeouts.none, [nil], [nil]),
        ] as [(Timeouts, [Duration?], [MockTimeline.Wait?])])
    func timeoutsAreThoseOfTransports(_ timeouts: Timeouts, _ waits: [Duration?], _ results: [MockTimeline.Wait?]) {
        var timeline = MockTimeline(timeouts)
        #expect(waits.map { timeline.wait($0) } == results)
    }
}
