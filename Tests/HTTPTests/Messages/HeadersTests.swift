import TangoAuth
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

@Suite struct HeadersTests {
    private let sample: Headers = ["Accept": "a", "X-One": "1", "accept": "b", "X-Two": "2", "ACCEPT": "c"]

    private func lines(_ headers: Headers) -> [String] {
        headers.map { "\($0.name): \($0.value)" }
    }

    @Test func orderCaseAndDuplicatesArePreserved() {
        #expect(lines(sample) == ["Accept: a", "X-One: 1", "accept: b", "X-Two: 2", "ACCEPT: c"])
        #expect(sample.count == 5)
        #expect(sample[1] == (name: "X-One", value: "1"))
        #expect(lines(Headers([("b", "1"), ("a", "2"), ("b", "3")])) == ["b: 1", "a: 2", "b: 3"])
        #expect(Headers().isEmpty)
    }

    @Test(arguments: ["Accept", "accept", "ACCEPT", "aCCept"])
    func namesAreFoundInAnyCase(_ name: String) {
        #expect(sample[name] == "a")
        #expect(sample.all(name) == ["a", "b", "c"])
        #expect(sample.combined(name) == "a, b, c")
        #expect(sample.contains(name))
    }

    @Test(arguments: ["", "Accep", "Accepts", "X_One", "Äccept"])
    func missingNamesAreNil(_ name: String) {
        #expect(sample[name] == nil)
        #expect(sample.all(name) == [])
        #expect(sample.combined(name) == nil)
        #expect(!sample.contains(name))
    }

    @Test func onlyASCIILettersIgnoreCase() {
        // These pairs differ by the bit that distinguishes upper from lower case.
        #expect(Headers([("a@", "1")])["a`"] == nil)
        #expect(Headers([("a[", "1")])["a{"] == nil)
        #expect(Headers([("É", "1")])["é"] == nil)
    }

    @Test func appendingAddsAFieldAtTheEnd() {
        var headers = sample
        headers.append(name: "X-One", value: "again")
        #expect(lines(headers).last == "X-One: again")
        #expect(headers.all("x-one") == ["1", "again"])
    }

    @Test func settingReplacesAllFieldsAtThePlaceOfTheFirst() {
        var headers = sample
        headers.set(name: "ACCEPT", value: "new")
        #expect(lines(headers) == ["ACCEPT: new", "X-One: 1", "X-Two: 2"])
        headers["x-two"] = "3"
        #expect(lines(headers) == ["ACCEPT: new", "X-One: 1", "x-two: 3"])
        headers["X-Three"] = "4"
        #expect(lines(headers) == ["ACCEPT: new", "X-One: 1", "x-two: 3", "X-Three: 4"])
    }

    @Test func removingRemovesAllFieldsOfAName() {
        var headers = sample
        headers.remove("accept")
        #expect(lines(headers) == ["X-One: 1", "X-Two: 2"])
        headers["X-ONE"] = nil
        headers["absent"] = nil
        #expect(lines(headers) == ["X-Two: 2"])
    }

    @Test(
        arguments: [
            (["a": "1"], [:], ["a: 1"]),
            ([:], ["a": "1", "a": "2"], ["a: 1", "a: 2"]),
            (["a": "1", "b": "2"], ["A": "3"], ["b: 2", "A: 3"]),
            (["a": "1", "a": "2", "b": "3"], ["a": "4", "A": "5"], ["b: 3", "a: 4", "A: 5"]),
        ] as [(Headers, Headers, [String])])
    func mergingReplacesFieldsOfTheSameName(_ one: Headers, with other: Headers, gives expected: [String]) {
        var headers = one
        headers.merge(other)
        #expect(lines(headers) == expected)
        #expect(lines(one.merging(other)) == expected)
        #expect(lines(one + other) == expected)
        var sum = one
        sum += other
        #expect(lines(sum) == expected)
    }

    @Test func nilInALiteralOmitsTheField() {
        let token: String? = nil
        let trace: String? = "7"
        #expect(
            lines(["Authorization": token, "X-Trace": trace, "X-None": nil, "Accept": "a"]) == [
                "X-Trace: 7", "Accept: a",
            ])
        #expect(lines(["Accept": "a"] + ["Accept": nil]) == ["Accept: a"])
    }

    @Test func aSubclassAddsToTheHeadersOfItsBaseClass() {
        class Signed: Request<Void> {
            override var headers: Headers { ["Authorization": "Bearer 1", "Accept": "application/json"] }
        }
        final class Export: Signed {
            override var headers: Headers { super.headers + ["X-Extra": "1", "accept": "text/csv"] }
        }
        #expect(lines(Export().headers) == ["Authorization: Bearer 1", "X-Extra: 1", "accept: text/csv"])
    }

    @Test(
        arguments: [
            ([:], [:], true),
            (["A": "1"], ["a": "1"], true),
            (["Content-Type": "x"], ["CONTENT-TYPE": "x"], true),
            (["a": "1"], ["a": "2"], false),
            (["a": "x"], ["a": "X"], false),
            (["a": "1", "b": "2"], ["b": "2", "a": "1"], false),
            (["a": "1", "a": "1"], ["a": "1"], false),
            (["a": "caf\u{E9}"], ["a": "caf\u{E9}"], true),
            // Canonically equivalent, but sent as different bytes.
            (["a": "caf\u{E9}"], ["a": "cafe\u{301}"], false),
            (["a": "\u{212A}"], ["a": "K"], false),
        ] as [(Headers, Headers, Bool)])
    func equalityIgnoresOnlyTheCaseOfNames(_ one: Headers, _ other: Headers, equal: Bool) {
        #expect((one == other) == equal)
        if equal { #expect(one.hashValue == other.hashValue) }
        #expect(Set([one, other]).count == (equal ? 1 : 2))
    }

    @Test(arguments: [
        ("a", "plain"), ("tab", "a\tb"), ("empty", ""), ("umlaut", "Grüße 你好 🎉"), ("a!#$%&'*+-.^_`|~9", "x"),
    ])
    func validFieldsHaveNoProblem(_ name: String, _ value: String) {
        #expect(Headers([(name, value)]).firstProblem == nil)
    }

    @Test(arguments: ["", "a b", "a:", "X-Ä", "a\r\n", "a\u{0}", "(a)", "a\"", "a/b"])
    func invalidNameIsAProblem(_ name: String) throws {
        let problem = try #require(Headers([("fine", "x"), (name, "secret")]).firstProblem)
        #expect(problem.name == name)
        #expect(problem.description.contains("is invalid"))
        #expect(!problem.description.contains("secret"))
        #expect(!problem.description.contains("\n"))
    }

    @Test(arguments: [
        ("secret\r\nHost: evil", "line break"), ("secret\nx", "line break"), ("secret\rx", "line break"),
        ("secret\u{0}", "null byte"), ("secret\u{1}", "control character (1)"),
        ("secret\u{7F}", "control character (127)"), ("ü\n", "line break"),
    ])
    func aValueThatCouldForgeAFieldIsAProblem(_ value: String, _ words: String) throws {
        let problem = try #require(Headers([("fine", "x"), ("a", value)]).firstProblem)
        #expect(problem.name == "a")
        #expect(problem.description.contains(words))
        #expect(!problem.description.contains("secret"))
    }
}
