import Foundation
import LoopbackServer
import Testing

@testable import TangoAuth
@testable import TangoRequest
@testable import TestSupport

@Suite(.timeLimit(.minutes(20))) struct AWSSignatureTests {
    struct Vector: Sendable {
        var name: String
        var method = HTTPMethod.get
        var url = "https://example.amazonaws.com/"
        var headers: Headers = [:]
        var body = Body.none
        var token: String?
        var signature: String
    }

    private static let token =
        "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwt"
        + "hAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVX"
        + "AkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=="

    /// Cases of the test suite that Amazon has published for version 4.
    static let vectors: [Vector] = [
        Vector(name: "get-vanilla", signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            name: "get-vanilla-query-order-key-case", url: "https://example.amazonaws.com/?Param2=value2&Param1=value1",
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        Vector(
            name: "get-unreserved",
            url: "https://example.amazonaws.com/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
        Vector(
            name: "get-header-value-trim", headers: ["My-Header1": " value1", "My-Header2": " \"a   b   c\""],
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
        Vector(
            name: "get-header-key-duplicate",
            headers: ["My-Header1": "value2", "My-Header1": "value2", "My-Header1": "value1"],
            signature: "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"),
        Vector(
            name: "post-vanilla", method: .post,
            signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        Vector(
            name: "post-x-www-form-urlencoded", method: .post,
            body: .data(Data("Param1=value1".utf8), contentType: "application/x-www-form-urlencoded"),
            signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
        Vector(
            name: "post-sts-header-before", method: .post, token: token,
            signature: "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"),
    ]

    private static let date = Date(timeIntervalSince1970: 1_440_938_160)

    @Test(arguments: vectors)
    func signaturesAreThoseOfTheTestSuite(_ vector: Vector) async throws {
        let signer = AWSSignature(
            credentials: AWSCredentials(
                keyID: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", sessionToken: vector.token),
            region: "us-east-1", service: "service")
        let request = HTTPRequest(
            method: vector.method, url: try #require(URL(string: vector.url)), headers: vector.headers,
            body: vector.body)
        let signed = try await signer.signed(request, at: Self.date)
        let header = try #require(signed.headers["Authorization"])
        #expect(header.hasSuffix("Signature=\(vector.signature)"), "\(vector.name): \(header)")
        #expect(
            header.hasPrefix("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, Sign"))
        #expect(signed.headers["X-Amz-Date"] == "20150830T123600Z")
        // A second signature replaces the first.
        let again = try await signer.signed(signed, at: Self.date)
        #expect(again.headers == signed.headers)
    }

    /// The first example of Amazon's documentation of signatures for S3.
    @Test func signatureForS3IsThatOfItsDocumentation() async throws {
        let signer = AWSSignature(
            credentials: AWSCredentials(
                keyID: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
            region: "us-east-1", service: "s3")
        let url = try #require(URL(string: "https://examplebucket.s3.amazonaws.com/test.txt"))
        let signed = try await signer.signed(
            HTTPRequest(url: url, headers: ["Range": "bytes=0-9"]), at: Date(timeIntervalSince1970: 1_369_353_600))
        #expect(
            signed.headers["Authorization"]?.hasSuffix(
                "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41") == true)
    }

    @Test(arguments: [
        ("/a%20b/%c3%a9%7e", false, "/a%2520b/%25c3%25a9%257e"), ("/a%20b/%c3%a9%7e", true, "/a%20b/%c3%a9%7e"),
        ("/items:batchGet", false, "/items%3AbatchGet"), ("/items:batchGet", true, "/items:batchGet"),
        ("/users/a@b.c", false, "/users/a%40b.c"),
        ("/a+b,c;d=e!*'()$&", false, "/a%2Bb%2Cc%3Bd%3De%21%2A%27%28%29%24%26"),
        ("//a//b/", false, "/a/b/"), ("//a//b/", true, "//a//b/"), ("/", false, "/"),
        ("/a%2Fb", true, "/a%2Fb"), ("", true, "/"), ("/%FF", true, "/%FF"),
    ])
    func pathsAreEncoded(_ path: String, _ asSent: Bool, _ expected: String) throws {
        let request = HTTPRequest(url: try #require(URL(string: "https://a.test\(path)")))
        let canonical = CanonicalRequest(request, payload: "p", signsSentPath: asSent)
        #expect(canonical.text.components(separatedBy: "\n")[1] == expected)
    }

    @Test func queryIsSortedByItsBytes() throws {
        let request = HTTPRequest(url: try #require(URL(string: "http://a.test:8080/?b=2&a=%7e&a=%2F&c&B=")))
        let lines = CanonicalRequest(request, payload: "p", signsSentPath: true).text.components(separatedBy: "\n")
        #expect(lines[2] == "B=&a=%2F&a=~&b=2&c=")
        #expect(lines[3] == "host:a.test:8080")
    }

    @Test func headersThatChangeOnTheWayAreNotSigned() throws {
        let request = HTTPRequest(
            url: try #require(URL(string: "https://a.test/")),
            headers: ["User-Agent": "x", "Connection": "close", "X-B": "1", "Host": "other", "traceparent": "00"])
        #expect(CanonicalRequest(request, payload: "p", signsSentPath: true).names == "host;x-b")
    }

    @Test func streamsNeedAnUnsignedPayload() async throws {
        let body = Body.stream { AsyncStream<Data> { $0.finish() } }
        let request = HTTPRequest(method: .put, url: try #require(URL(string: "https://a.test/")), body: body)
        let keys = AWSCredentials(keyID: "k", secret: "s")
        let signed = AWSSignature(credentials: keys, region: "r", service: "x")
        let error = await refusal { try await signed.signed(request, at: Date()) }
        #expect(error?.code == .badBody)
        let unsigned = AWSSignature(credentials: keys, region: "r", service: "x", payload: .unsigned)
        let sent = try await unsigned.signed(request, at: Date())
        #expect(sent.headers["X-Amz-Content-Sha256"] == "UNSIGNED-PAYLOAD")
    }

    @Test func descriptionsShowNoSecrets() {
        let keys = AWSCredentials(keyID: "k", secret: "secret-7", sessionToken: "token-7")
        let signer = AWSSignature(credentials: keys, region: "r", service: "s")
        var dumped = "\(keys) \(signer) \(String(reflecting: keys)) \(HMACSignature(key: Data("secret-7".utf8)))"
        dump(keys, to: &dumped)
        dump(signer, to: &dumped)
        #expect(!dumped.contains("secret-7") && !dumped.contains("token-7"))
    }
}
