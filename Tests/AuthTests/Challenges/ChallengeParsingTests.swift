import Foundation
import Testing

@testable import TangoAuth
@testable import TangoRequest
@testable import TestSupport

@Suite struct ChallengeParsingTests {
    static let table: [(fields: [String], expected: String)] = [
        ([], ""), ([""], ""), ([" , ,"], ""),
        ([#"Basic realm="a, b""#], "Basic{realm=a, b}"),
        ([#"basic REALM="a""#], "basic{realm=a}"),
        ([#"Digest realm="a", nonce="b", Basic realm="c""#], "Digest{realm=a;nonce=b} Basic{realm=c}"),
        ([#"Digest realm="a""#, #"Basic realm="c""#], "Digest{realm=a} Basic{realm=c}"),
        ([#"Digest realm="a""#, #"nonce="b""#], "Digest{realm=a;nonce=b}"),
        (["Negotiate, NTLM"], "Negotiate{} NTLM{}"),
        ([#"Negotiate YWJj+/==, Basic realm="a""#], "Negotiate{}YWJj+/== Basic{realm=a}"),
        ([#"Basic realm="say \"hi\" \\ there""#], #"Basic{realm=say "hi" \ there}"#),
        ([#"Basic   realm = "a" ,, charset="UTF-8""#], "Basic{realm=a;charset=UTF-8}"),
        (["Bearer realm=a, error=invalid_token"], "Bearer{realm=a;error=invalid_token}"),
        ([#"Digest realm="a", nonce=YWJj==, qop="auth,auth-int""#], "Digest{realm=a;nonce=YWJj==;qop=auth,auth-int}"),
        ([#"Basic realm="""#], "Basic{realm=}"),
        // Malformed challenges are left out, with all of their parameters, and those after them stay.
        ([#"Basic realm="a", realm="b""#], ""),
        ([#"realm="a", Basic realm="b""#], "Basic{realm=b}"),
        ([#"Digest realm="a", b c d, Basic realm="d""#], "Digest{realm=a} Basic{realm=d}"),
        ([#"Digest realm="a", "b", nonce="c", Basic realm="d""#], "Basic{realm=d}"),
        ([#"Basic realm="a"b, Digest realm="c""#], "Digest{realm=c}"),
        ([#"Negotiate YWJj, a="b", Basic realm="d""#], "Basic{realm=d}"),
        ([#"Basic realm="a"#], ""),
        (["Basic\trealm=a"], ""),
        (["Bäsic realm=a"], ""),
    ]

    @Test(arguments: table)
    func challengesAreRead(_ row: (fields: [String], expected: String)) {
        let text = Challenge.all(in: row.fields).map { challenge in
            let parameters = challenge.parameters.map { "\($0.name)=\($0.value.text)" }.joined(separator: ";")
            return "\(challenge.scheme){\(parameters)}\(challenge.token ?? "")"
        }
        #expect(text.joined(separator: " ") == row.expected)
    }

    @Test func responseHasItsChallenges() throws {
        let response = HTTPResponse(
            status: 401, headers: ["WWW-Authenticate": "Basic realm=a", "Proxy-Authenticate": "Digest realm=b"])
        #expect(response.challenges.map(\.scheme) == ["Basic"])
        #expect(response.proxyChallenges.first?.realm == "b")
        #expect(response.challenges.first?["REALM"] == "a")
    }

    /// Challenges at random, which are read as they were written.
    @Test(arguments: 0..<200) func writtenChallengesAreReadBack(_ seed: Int) {
        var random = Numbers(seed)
        func word() -> String {
            String(
                (0...Int.random(in: 0...5, using: &random)).map { _ in "abcxyzABC019-!".randomElement(using: &random)! }
            )
        }
        func text() -> String {
            String(
                (0..<Int.random(in: 0...9, using: &random)).map { _ in "ab,=\"\\ é;/".randomElement(using: &random)! })
        }
        let written = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            Challenge(
                scheme: word(),
                parameters: (0..<Int.random(in: 0...4, using: &random)).map { number in
                    .init(name: "p\(number)", value: ExactString(text()))
                })
        }
        let fields = written.map { challenge in
            let parameters = challenge.parameters.map { parameter in
                let value = parameter.value.text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
                return "\(parameter.name)=\"\(String(value))\""
            }
            return "\(challenge.scheme) \(parameters.joined(separator: ", "))"
        }
        #expect(Challenge.all(in: fields) == written)
        #expect(Challenge.all(in: [fields.joined(separator: " ,, ")]) == written)
    }

    /// Bytes at random never trap, and whatever is read is well-formed.
    @Test(arguments: 0..<20) func anyBytesAreRead(_ seed: Int) {
        var random = Numbers(seed)
        let parts = [
            "Digest", " ", "realm", "=", "\"", "\\", ",", "a", "\u{0}", "é", "==", "\t", "nonce=\"b\"", "qop", "Basic ",
        ]
        for _ in 0..<500 {
            let field = (0..<Int.random(in: 0...12, using: &random)).map { _ in parts.randomElement(using: &random)! }
            for challenge in Challenge.all(in: [field.joined()]) {
                #expect(challenge.scheme[...].isToken)
                #expect(challenge.parameters.allSatisfy { $0.name[...].isToken })
                #expect(Set(challenge.parameters.map(\.name)).count == challenge.parameters.count)
                _ = DigestChallenge(challenge)
            }
        }
    }

    private struct Numbers: RandomNumberGenerator {
        private var state: UInt64

        init(_ seed: Int) {
            state = UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 | 1
        }

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state &* 0x2545_f491_4f6c_dd1d
        }
    }
}
