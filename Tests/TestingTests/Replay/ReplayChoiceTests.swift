import Foundation
import Testing

@testable import TangoRequest
@testable import TangoTesting
@testable import TestSupport

/// The choice of a recorded exchange, as tables.
struct ReplayChoiceTests {
    private func shape(_ method: HTTPMethod, _ url: String, body: Body = .none) throws -> RequestShape {
        let request = HTTPRequest(method: method, url: try #require(URL(string: url)), body: body)
        return RequestShape(request, Redaction.standard.knowing(request))
    }

    @Test(
        arguments: [
            ("http://a/b", "http://A:80/b", []),
            ("https://a/b", "https://a:443/b", []),
            ("http://a", "http://a/", []),
            ("http://a/%7Eb", "http://a/~b", []),
            ("http://a/b?x=1&y=2", "http://a/b?y=2&x=1", []),
            ("http://a/b?x=a+b", "http://a/b?x=a%20b", []),
            ("http://a/b?token=1", "http://a/b?token=2", []),
            ("http://a/b", "http://a/c", [.path("/c")]),
            ("http://a/b", "https://a/b", [.origin("https://a")]),
            ("http://a/b", "http://a:81/b", [.origin("http://a:81")]),
            ("http://a/b?x=1&x=1", "http://a/b?x=1", [.query(missing: [], added: ["x=1"])]),
            ("http://a/b", "http://a/b?x=1", [.query(missing: ["x=1"], added: [])]),
            ("http://a/b?x=1", "http://a/b?x=2", [.query(missing: ["x=2"], added: ["x=1"])]),
        ] as [(String, String, [RequestDifference])])
    func differencesOfURLs(_ request: String, _ recorded: String, _ differences: [RequestDifference]) throws {
        #expect(try shape(.get, request).differences(from: shape(.get, recorded)) == differences)
    }

    private struct Bodies: CustomTestStringConvertible {
        let request: Body
        let recorded: Body
        let isEqual: Bool

        init(_ request: Body, _ recorded: Body, isEqual: Bool) {
            self.request = request
            self.recorded = recorded
            self.isEqual = isEqual
        }

        var testDescription: String { "\(request), \(recorded)" }
    }

    private static func json(_ text: String) -> Body { .string(text, contentType: "application/json") }

    private static let bodies = [
        Bodies(.none, .none, isEqual: true),
        Bodies(.none, .string("a"), isEqual: false),
        Bodies(.string("a"), .string("b"), isEqual: false),
        Bodies(json(#"{"a":1,"b":2}"#), json(#"{ "b": 2, "a": 1 }"#), isEqual: true),
        Bodies(json(#"{"password":"x"}"#), json(#"{"password":"y"}"#), isEqual: true),
        Bodies(.form(["a": 1, "b": 2]), .form(["b": 2, "a": 1]), isEqual: true),
        Bodies(.form(["a": 1]), .form(["a": 2]), isEqual: false),
        Bodies(.data(Data([0, 1])), .data(Data([0, 1])), isEqual: true),
        Bodies(.data(Data([0, 1])), .data(Data([0, 2])), isEqual: false),
        Bodies(.data(Data("--x".utf8), contentType: "multipart/form-data; boundary=x"), .string("b"), isEqual: true),
    ]

    @Test(arguments: bodies)
    private func bodiesAreComparedByTheirValues(_ row: Bodies) throws {
        let differences = try shape(.post, "http://a", body: row.request).differences(
            from: shape(.post, "http://a", body: row.recorded))
        #expect(differences == (row.isEqual ? [] : [.body]))
    }

    @Test(
        arguments: [
            (.strict, [], .exchange(1)),
            (.strict, [1], .exchange(3)),
            (
                .strict, [1, 3],
                .miss("it was recorded 2 times and is requested again: record it again, or use the lenient matching")
            ),
            (.lenient, [], .exchange(1)),
            (.lenient, [1, 3], .exchange(2)),
            (.lenient, [1, 2, 3], .exchange(3)),
        ] as [(HARReplay.Matching, Set<Int>, ReplayChoice)])
    func exchangesAreUsedInTheirOrder(_ matching: HARReplay.Matching, _ used: Set<Int>, _ choice: ReplayChoice) throws {
        let recorded = try [
            shape(.get, "http://a/c"), shape(.get, "http://a/b"), shape(.get, "http://other/b"),
            shape(.get, "http://a/b"),
        ]
        #expect(matching.choose(for: try shape(.get, "http://a/b"), from: recorded, isUsed: used.contains) == choice)
    }

    /// The recorded requests by their digests, of a request whose digest begins with `a`.
    @Test(
        arguments: [
            ([("a", [7, 2]), ("c", [1])], [], .exchange(2)), ([("a", [7, 2]), ("c", [1])], [7, 1], .exchange(7)),
            ([("c", [3]), ("d", [4, 1])], [], .exchange(1)), ([("c", [3]), ("d", [4, 1])], [4, 3], .exchange(3)),
            ([("c", [3]), (nil, [])], [9], .exchange(3)),
            ([("a", []), ("c", [1])], [1], .miss("the recording has no exchanges: record it again")),
        ] as [([(String?, [Int])], Set<Int>, ReplayChoice)])
    func secretsComeBeforeTheOrder(_ equal: [(String?, [Int])], _ next: Set<Int>, _ choice: ReplayChoice) throws {
        var request = try shape(.get, "http://a/b")
        request.digest = "ab00"
        let strict = HARReplay.Matching.strict
        let equal = equal.map { (digest: $0.0, unused: $0.1) }
        #expect(strict.choose(for: request, from: [], equal: equal, isUsed: { _ in false }, next: next) == choice)
    }

    @Test func pathIsNearerThanTheMethod() throws {
        let recorded = try [shape(.post, "http://a/users"), shape(.post, "http://a/c")]
        #expect(
            HARReplay.Matching.strict.choose(for: try shape(.get, "http://a/users"), from: recorded) { _ in false }
                == .miss("the nearest recorded request is POST http://a/users: there the method is POST"))
    }

    @Test func emptyRecordingSaysSo() throws {
        #expect(
            HARReplay.Matching.strict.choose(for: try shape(.get, "http://a"), from: []) { _ in false }
                == .miss("the recording has no exchanges: record it again"))
    }
}
