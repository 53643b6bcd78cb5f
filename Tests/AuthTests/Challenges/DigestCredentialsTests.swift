import Foundation
import Testing

@testable import TangoAuth
@testable import TangoRequest
@testable import TestSupport

@Suite struct DigestCredentialsTests {
    /// A challenge with its credentials.
    struct Vector: Sendable {
        var challenge: String
        var user = "Mufasa"
        var password = "Circle of Life"
        var target = "/dir/index.html"
        var body: String?
        var clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
        var fields: [String]
    }

    private static let example =
        #"Digest realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "#
        + #"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#
    private static let user =
        #"Digest realm="api@example.org", qop="auth", nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", "#
        + #"opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", algorithm=SHA-512-256, charset=UTF-8"#
    private static let old = #"Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093""#

    /// The examples of RFC 7616, 3.9.1 and 3.9.2 (the latter as corrected by the errata), RFC 2617, and RFC 2069 as corrected.
    static let vectors: [Vector] = [
        Vector(
            challenge: example + ", algorithm=MD5",
            fields: [
                #"username="Mufasa""#, #"realm="http-auth@example.org""#, #"uri="/dir/index.html""#, "algorithm=MD5",
                #"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v""#, "nc=00000001", "qop=auth",
                #"cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ""#,
                #"response="8ca523f5e9506fed4657c9700eebdbec""#,
                #"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#,
            ]),
        Vector(
            challenge: example + ", algorithm=SHA-256",
            fields: [
                "algorithm=SHA-256", #"response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1""#,
            ]),
        Vector(
            challenge: user + ", userhash=true", user: "J\u{e4}s\u{f8}n Doe", password: "Secret, or not?",
            target: "/doe.json", clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v",
            fields: [
                #"username="793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b""#, "userhash=true",
                "algorithm=SHA-512-256",
                #"response="3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5""#,
            ]),
        Vector(
            challenge: user, user: "J\u{e4}s\u{f8}n Doe", password: "Secret, or not?", target: "/doe.json",
            fields: ["username*=UTF-8''J%C3%A4s%C3%B8n%20Doe"]),
        Vector(
            challenge: old + #", qop="auth", opaque="5ccc069c403ebaf9f0171e9517f40e41""#, password: "Circle Of Life",
            clientNonce: "0a4f113b", fields: [#"response="6629fae49393a05397450978507c4ef1""#]),
        Vector(
            challenge: old, password: "CircleOfLife",
            fields: [#"response="1949323746fe6a43ef61f9606e7febea""#]),
    ]

    @Test(arguments: vectors)
    func credentialsAreThoseOfTheStandards(_ vector: Vector) throws {
        let challenge = try #require(Challenge.all(in: [vector.challenge]).first.flatMap(DigestChallenge.init))
        let header = try DigestCredentials(
            challenge: challenge, user: vector.user, password: vector.password, method: "GET", target: vector.target,
            count: 1, clientNonce: vector.clientNonce
        ).header()
        #expect(header.hasPrefix("Digest "))
        let fields = header.dropFirst(7).components(separatedBy: ", ")
        for field in vector.fields { #expect(fields.contains(field), "\(header)") }
        let isLegacy = challenge.protection == .legacy
        #expect(fields.contains { $0.hasPrefix("cnonce=") } != isLegacy)
        #expect(fields.contains { $0.hasPrefix("nc=") } != isLegacy)
        #expect(fields.contains { $0.hasPrefix("algorithm=") } == (challenge.algorithm != nil))
    }

    /// The formulas of RFC 7616, 3.4, in the test's own words.
    @Test(arguments: Hash.ofDigests, [false, true]) func sessionsAndBodiesAreHashed(_ hash: Hash, _ isSession: Bool)
        throws
    {
        func h(_ text: String) throws -> String { try hash.hex(text.utf8) }
        let name = hash.rawValue + (isSession ? "-sess" : "")
        let field = "Digest realm=\"r\", nonce=\"n\", qop=\"auth-int\", algorithm=\(name)"
        let challenge = try #require(Challenge.all(in: [field]).first.flatMap(DigestChallenge.init))
        #expect(challenge.protection == .body)
        var secret = try h("u:r:p")
        if isSession { secret = try h("\(secret):n:c") }
        let body = try h("body")
        let response = try h("\(secret):n:0000000a:c:auth-int:\(h("POST:/a?b:\(body)"))")
        let header = try DigestCredentials(
            challenge: challenge, user: "u", password: "p", method: "POST", target: "/a?b", bodyDigest: body, count: 10,
            clientNonce: "c"
        ).header()
        #expect(header.contains("response=\"\(response)\""))
        #expect(header.contains("qop=auth-int, nc=0000000a"))
    }

    @Test func quotesAreEscaped() throws {
        let field = #"Digest realm="a \"b\" \\c", nonce="n""#
        let challenge = try #require(Challenge.all(in: [field]).first.flatMap(DigestChallenge.init))
        let header = try DigestCredentials(
            challenge: challenge, user: #"x"y"#, password: "p", method: "GET", target: "/", count: 1, clientNonce: "c"
        ).header()
        #expect(header.contains(#"realm="a \"b\" \\c""#))
        #expect(header.contains(#"username="x\"y""#))
    }

    @Test(arguments: [
        ("Digest realm=a", false), ("Digest nonce=a", false), ("Digest realm=a, nonce=b", true),
        ("Digest realm=a, nonce=b, algorithm=md5-SESS", true), ("Digest realm=a, nonce=b, algorithm=SHA-1", false),
        ("Digest realm=a, nonce=b, qop=auth-conf", false), ("Basic realm=a, nonce=b", false),
        (#"Digest realm=a, nonce=b, qop="auth-conf, AUTH""#, true),
    ])
    func unknownChallengesAreNone(_ field: String, _ isKnown: Bool) {
        #expect((Challenge.all(in: [field]).first.flatMap(DigestChallenge.init) != nil) == isKnown)
    }

    @Test(arguments: [
        ("http://a.test", "/"), ("http://a.test?b", "/?b"), ("http://a.test/a%20b?c=d#e", "/a%20b?c=d"),
    ])
    func targetIsThatOfTheRequestLine(_ url: String, _ target: String) throws {
        #expect(try #require(URL(string: url)).requestTarget == target)
    }
}
