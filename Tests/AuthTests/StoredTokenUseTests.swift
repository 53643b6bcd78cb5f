import Testing

@testable import TangoAuth
@testable import TangoRequest
@testable import TestSupport

/// The decision about the entry that a token request finds in the store.
struct StoredTokenUseTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var found: StoredToken?
        var known: StoredToken?
        var token: Token?
        var isUsable = true
        let use: StoredTokenUse
    }

    private static let a = StoredToken(token: Token("a"), identity: "i")
    private static let b = StoredToken(token: Token("b"), identity: "i")
    private static let other = StoredToken(token: Token("c"), identity: "j")

    static let rows = [
        Row(testDescription: "nothing anywhere", use: .request(replacing: nil, identity: "i")),
        Row(
            testDescription: "a token that was never saved", token: a.token,
            use: .request(replacing: a.token, identity: "i")),
        Row(
            testDescription: "the same entry", found: a, known: a, token: a.token,
            use: .request(replacing: a.token, identity: "i")),
        Row(
            testDescription: "an entry that could not be replaced", found: a, known: a, token: b.token,
            use: .request(replacing: b.token, identity: "i")),
        Row(testDescription: "a newer entry", found: b, known: a, token: a.token, use: .adopt(b)),
        Row(testDescription: "another user", found: other, known: a, token: a.token, use: .adopt(other)),
        Row(testDescription: "the first entry", found: b, use: .adopt(b)),
        Row(
            testDescription: "a newer entry that has expired", found: b, known: a, token: a.token, isUsable: false,
            use: .request(replacing: b.token, identity: "i")),
        Row(
            testDescription: "another user with an expired token", found: other, known: a, token: a.token,
            isUsable: false, use: .request(replacing: other.token, identity: "j")),
        Row(testDescription: "no entry any more", known: a, token: a.token, use: .signedOut),
    ]

    @Test(arguments: rows) func entryDecides(_ row: Row) {
        let use = StoredTokenUse.of(
            StoredTokenUse.Situation(
                found: row.found, known: row.known, token: row.token, identity: "i", isUsable: row.isUsable))
        #expect(use == row.use)
    }
}
