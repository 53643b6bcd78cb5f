import Foundation
import Testing

@testable import TangoAuth
@testable import TangoRequest
@testable import TestSupport

@Suite struct ChallengeChoiceTests {
    struct Row: Sendable {
        var challenges: String
        var allowsBasic = true
        var isPrivate = true
        var missing: Set<Hash> = []
        var expected: String
    }

    private static let md5 = "Digest realm=m, nonce=n"
    private static let sha256 = "Digest realm=s, nonce=n, algorithm=SHA-256"
    private static let sha512 = "Digest realm=t, nonce=n, algorithm=SHA-512-256-sess"

    static let table: [Row] = [
        Row(challenges: "Basic realm=b, \(md5), \(sha256), \(sha512)", expected: "SHA-512-256"),
        Row(challenges: "\(md5), \(sha256), Basic realm=b", expected: "SHA-256"),
        Row(challenges: "Basic realm=b, \(md5)", expected: "MD5"),
        Row(challenges: "Basic realm=b, \(md5)", missing: [.md5], expected: "Basic b"),
        Row(challenges: "Basic realm=b", expected: "Basic b"), Row(challenges: "Basic", expected: "Basic "),
        Row(challenges: "Basic realm=b", isPrivate: false, expected: "use https"),
        Row(challenges: "Basic realm=b, \(md5)", isPrivate: false, expected: "MD5"),
        Row(
            challenges: "Basic realm=b", allowsBasic: false,
            expected: "requires Basic, and the authenticator supports Digest:"),
        Row(challenges: md5, missing: [.md5], expected: "no MD5"),
        Row(
            challenges: "Negotiate, NTLM",
            expected: "requires Negotiate, NTLM, and the authenticator supports Digest and Basic:"),
        Row(challenges: "Digest realm=a, nonce=b, algorithm=SHA-1", expected: "requires Digest with SHA-1,"),
    ]

    @Test(arguments: table)
    func strongestChallengeIsChosen(_ row: Row) {
        let choice = ChallengeChoice(
            Challenge.all(in: [row.challenges]), allowsBasic: row.allowsBasic, isPrivate: row.isPrivate,
            missing: { row.missing.contains($0) ? "there is no \($0.rawValue)" : nil })
        switch choice {
        case .digest(let challenge): #expect(challenge.hash.rawValue == row.expected)
        case .basic(let realm): #expect("Basic \(realm)" == row.expected)
        case .none(let reason): #expect(reason.contains(row.expected), "\(reason)")
        }
    }

    @Test(arguments: [
        (nil, "Digest realm=a, nonce=n", 1), (nil, "Basic realm=a, Negotiate", 2),
        ("Digest realm=a, nonce=o", "Digest realm=a, nonce=n", 0),
        ("Digest realm=a, nonce=o", "Digest realm=a, nonce=n, stale=false", 0),
        ("Digest realm=a, nonce=o", "Digest realm=a, nonce=n, stale=TRUE, Basic realm=b", 1),
        ("Digest realm=a, nonce=o", "Digest realm=b, nonce=n", 1),
        ("Digest realm=a, nonce=o", "Digest realm=a, nonce=n, Basic realm=b", 0),
        ("Basic YTpi", "Digest realm=a, nonce=n, stale=true", 0),
    ])
    func rejectedCredentialsAreNotRepeated(_ sent: String?, _ challenges: String, _ count: Int) {
        let sent = sent.flatMap { Challenge.all(in: [$0]).first }
        #expect(Challenge.all(in: [challenges]).open(after: sent).count == count)
    }
}
