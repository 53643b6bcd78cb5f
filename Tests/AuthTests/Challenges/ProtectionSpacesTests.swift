import Foundation
import Testing

@testable import TangoAuth
@testable import TangoRequest
@testable import TestSupport

@Suite struct ProtectionSpacesTests {
    private func challenge(_ nonce: String, realm: String = "r", rest: String = "") throws -> ProtectionSpaces.Scheme {
        let field = "Digest realm=\"\(realm)\", nonce=\"\(nonce)\", qop=auth\(rest)"
        return .digest(try #require(Challenge.all(in: [field]).first.flatMap(DigestChallenge.init)))
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test func counterOfAnOldNonceGoesOn() throws {
        var spaces = ProtectionSpaces()
        let place = try url("http://a.test/")
        func next(_ nonce: String) throws -> UInt32 {
            spaces.challenged(try challenge(nonce), realm: "r", for: place, clientNonce: "c").count
        }
        #expect(try next("one") == 1)
        #expect(spaces.turn(for: place, clientNonce: "c")?.count == 2)
        #expect(try next("two") == 1)
        #expect(try next("one") == 3)
        #expect(try next("one") == 4)
        #expect(try next("two") == 2)
    }

    @Test func sessionKeepsItsClientNonce() throws {
        var spaces = ProtectionSpaces()
        let place = try url("http://a.test/")
        let session = try challenge("one", rest: ", algorithm=MD5-sess")
        #expect(spaces.challenged(session, realm: "r", for: place, clientNonce: "a").clientNonce == "a")
        #expect(spaces.turn(for: place, clientNonce: "b")?.clientNonce == "a")
        spaces.renew(nonce: "two", realm: "r", for: place)
        #expect(spaces.turn(for: place, clientNonce: "c")?.clientNonce == "c")
    }

    @Test(arguments: [
        ("http://a.test/in/b", true), ("http://a.test/out", false), ("http://b.test/far", true),
        ("http://b.test/", false), ("http://b.test.evil.test/far", false), ("https://a.test/in/b", false),
        ("http://a.test:81/in/b", false),
    ])
    func spaceIsAnOriginAndPaths(_ text: String, _ isInside: Bool) throws {
        var spaces = ProtectionSpaces()
        let scheme = try challenge("n", rest: ", domain=\"/in http://b.test/far nonsense\"")
        _ = spaces.challenged(scheme, realm: "r", for: try url("http://a.test/in/a"), clientNonce: "c")
        #expect((spaces.turn(for: try url(text), clientNonce: "c") != nil) == isInside)
    }

    @Test func closestSpaceIsUsed() throws {
        var spaces = ProtectionSpaces()
        _ = spaces.challenged(try challenge("a"), realm: "r", for: try url("http://a.test/"), clientNonce: "c")
        _ = spaces.challenged(
            try challenge("b", realm: "s", rest: ", domain=\"/in\""), realm: "s", for: try url("http://a.test/in/a"),
            clientNonce: "c")
        guard case .digest(let found) = spaces.turn(for: try url("http://a.test/in/x"), clientNonce: "c")?.scheme else {
            Issue.record("there is no space")
            return
        }
        #expect(found.realm.text == "s")
    }

    @Test func numberOfSpacesIsLimited() throws {
        var spaces = ProtectionSpaces()
        let first = try url("http://h0.test/")
        for number in 0..<1000 {
            _ = spaces.challenged(
                try challenge("n"), realm: "r", for: try url("http://h\(number).test/"), clientNonce: "c")
            #expect(spaces.turn(for: first, clientNonce: "c") != nil)
        }
        #expect(spaces.count == ProtectionSpaces.limit)
    }
}
