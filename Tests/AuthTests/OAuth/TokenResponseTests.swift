import Foundation
import Testing

@testable import TangoAuth
@testable import TangoRequest
@testable import TestSupport

@Suite(.timeLimit(.minutes(20)))
struct TokenResponseTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    private static func parse(
        _ body: String, status: HTTPStatus = 200, type: String? = "application/json", redaction: Redaction = .standard
    ) throws -> Token {
        let response = HTTPResponse(
            status: status, headers: ["Content-Type": type, "Retry-After": "7"], body: Data(body.utf8))
        return try TokenResponse(response, now: now).token(now: now, redaction: redaction)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let token: Token
        var type: String? = "application/json"

        init(_ body: String, _ token: Token, type: String? = "application/json") {
            testDescription = body
            self.token = token
            self.type = type
        }
    }

    private static func later(_ seconds: Double) -> Date { now.addingTimeInterval(seconds) }

    static let tokens = [
        Row(#"{"access_token":"a","token_type":"Bearer"}"#, Token("a")),
        Row(#"{"access_token":"a","token_type":"bEARER"}"#, Token("a")),
        Row(#"{"access_token":"a","token_type":""}"#, Token("a")),
        Row(#"{"access_token":"a"}"#, Token("a")),
        Row(#"{"access_token":"a","expires_in":3600}"#, Token("a", expires: later(3600))),
        Row(#"{"access_token":"a","expires_in":"3600"}"#, Token("a", expires: later(3600))),
        Row(#"{"access_token":"a","expires_in":3599.5}"#, Token("a", expires: later(3599.5))),
        Row(#"{"access_token":"a","expires_in":0}"#, Token("a", expires: now)),
        Row(#"{"access_token":"a","expires_in":-5}"#, Token("a", expires: now)),
        Row(#"{"access_token":"a","expires_in":1e300}"#, Token("a", expires: later(1e10))),
        Row(#"{"access_token":"a","expires_in":"soon"}"#, Token("a")),
        Row(#"{"access_token":"a","expires_in":"nan"}"#, Token("a")),
        Row(#"{"access_token":"a","expires_in":"0x10"}"#, Token("a")),
        Row(#"{"access_token":"a","expires_in":null}"#, Token("a")),
        Row(#"{"access_token":"a","expires_in":true}"#, Token("a")),
        Row(#"{"access_token":"a","expires_in":[1]}"#, Token("a")),
        Row(#"{"access_token":"a","scope":"read write"}"#, Token("a", scopes: ["read", "write"])),
        Row(#"{"access_token":"a","scope":"a,b  c "}"#, Token("a", scopes: ["a,b", "c"])),
        Row(#"{"access_token":"a","scope":["read","write"]}"#, Token("a", scopes: ["read", "write"])),
        Row(#"{"access_token":"a","scope":""}"#, Token("a", scopes: [])),
        Row(#"{"access_token":"a","scope":null}"#, Token("a")),
        Row(#"{"access_token":"a","refresh_token":""}"#, Token("a")),
        Row(#"{"access_token":"a","refresh_token":null}"#, Token("a")),
        Row(#"{"access_token":"a","refresh_token":7}"#, Token("a")),
        Row(#"{"access_token":"a","refresh_token":"r"}"#, Token("a", refreshToken: "r")),
        Row(
            #"{"access_token":"a","id_token":"x.y.z","age":7,"list":["b"],"deep":{"c":1}}"#,
            Token("a", values: ["id_token": "x.y.z"])),
        Row(#"{"access_token":"a","error":""}"#, Token("a", values: ["error": ""])),
        Row(#"  {"access_token":"~!-._/+="}  "#, Token("~!-._/+=")),
        Row(
            "access_token=a%2Bb&expires_in=60&scope=read+write&refresh_token=r&x=y",
            Token(
                "a+b", refreshToken: "r", expires: later(60), scopes: ["read", "write"], values: ["x": "y"]),
            type: "application/x-www-form-urlencoded; charset=utf-8"),
        Row("access_token=a&token_type=bearer", Token("a"), type: "text/plain"),
        Row(#"{"access_token":"a"}"#, Token("a"), type: "text/html"),
        Row(#"{"access_token":"a"}"#, Token("a"), type: nil),
    ]

    @Test(arguments: tokens)
    func tokenIsRead(_ row: Row) throws {
        #expect(try Self.parse(row.testDescription, type: row.type) == row.token)
    }

    @Test(arguments: [
        (#"{"access_token":"a","token_type":"mac"}"#, OAuthError.Code.badTokenType, "“mac”"),
        (#"{"access_token":"a","token_type":"DPoP"}"#, .badTokenType, "DPoP"),
        ("{}", .badResponse, "access_token"),
        (#"{"access_token":""}"#, .badResponse, "access_token"),
        (#"{"access_token":null}"#, .badResponse, "access_token"),
        (#"{"access_token":7}"#, .badResponse, "access_token"),
        (#"{"access_token":"a\r\nX-Injected: 1"}"#, .badResponse, "control character"),
        (#"{"access_token":"a b"}"#, .badResponse, "space"),
        (#"{"access_token":"é"}"#, .badResponse, "ASCII"),
        ("[]", .badResponse, "JSON object"),
        ("", .badResponse, "JSON object"),
        ("<html>Sign in to this network</html>", .badResponse, "JSON object"),
        (#"{"access_token":"a""#, .badResponse, "JSON object"),
        (#"{"access_token":"\#(String(repeating: "a", count: 300_000))"}"#, .badResponse, "300019 bytes"),
        (String(repeating: #"{"a":"#, count: 20_000), .badResponse, "JSON object"),
    ])
    func badBodyIsAnError(_ body: String, _ code: OAuthError.Code, _ words: String) {
        #expect {
            try Self.parse(body)
        } throws: { error in
            guard let error = error as? OAuthError else { return false }
            #expect(error.description.contains(words))
            #expect(error.description.utf8.count < 400)
            return error.code == code && error.status == 200
        }
    }

    @Test(arguments: [
        OAuthError.Code.invalidRequest, .invalidClient, .invalidGrant, .unauthorizedClient, .unsupportedGrantType,
        .invalidScope, .serverError, .init(rawValue: "of_this_server"),
    ])
    func errorIsTyped(_ code: OAuthError.Code) {
        // Some servers send errors with the status 200.
        for status in [HTTPStatus.badRequest, .unauthorized, .ok] {
            #expect(
                throws: OAuthError(
                    code, "it is so", uri: "https://example.com/e", status: status, retryAfter: .seconds(7))
            ) {
                try Self.parse(
                    #"{"error":"\#(code)","error_description":"it is so","error_uri":"https://example.com/e"}"#,
                    status: status)
            }
        }
    }

    @Test func errorOfAFormIsTyped() {
        #expect(throws: OAuthError(.invalidGrant, "bad code", status: .ok, retryAfter: .seconds(7))) {
            try Self.parse("error=invalid_grant&error_description=bad+code", type: "application/x-www-form-urlencoded")
        }
    }

    @Test func textsOfServersAreBoundedAndInOneLine() throws {
        let redaction = Redaction.standard.adding(["r-1234567"])
        let body =
            #"{"error":"invalid_grant","error_description":"no\nr-1234567\u0000 \#(String(repeating: "x", count: 9999))"}"#
        do {
            _ = try Self.parse(body, status: 400, redaction: redaction)
            Issue.record("no error")
        } catch let error as OAuthError {
            #expect(error.detail.hasPrefix("no …"))
            #expect(error.detail.utf8.count < 600)
            #expect(!error.detail.utf8.contains { $0 < 0x20 })
        }
    }

    /// A secret that the server repeats is hidden wherever it stands, also where a text is cut.
    @Test(arguments: [
        #"{"error":"bad r-1234567"}"#, #"{"error":"\#(String(repeating: "x", count: 74)) r-1234567"}"#,
        #"{"error":"x","error_description":"\#(String(repeating: "x", count: 494)) r-1234567"}"#,
        #"{"error":"x","error_uri":"\#(String(repeating: "x", count: 494)) r-1234567"}"#,
        #"{"access_token":"r-1234567","token_type":"pop r-1234567"}"#,
        #"{"access_token":"a","refresh_token":"r-1234567","token_type":"\#(String(repeating: "x", count: 34)) r-1234567"}"#,
    ])
    func noTextOfAServerShowsASecret(_ body: String) {
        // Those of a response are not known before.
        let redaction = body.contains("access_token") ? Redaction.standard : .standard.adding(["r-1234567"])
        #expect {
            try Self.parse(body, status: body.contains("access_token") ? .ok : .badRequest, redaction: redaction)
        } throws: { error in
            guard let error = error as? OAuthError else { return false }
            return !"\(error) \(error.code.rawValue) \(error.uri ?? "")".contains("r-1")
        }
    }

    @Test(arguments: [HTTPStatus.internalServerError, .badGateway, .notFound, .found])
    func statusWithoutAnErrorOfOAuthIsARequestError(_ status: HTTPStatus) {
        #expect {
            try Self.parse("<html>", status: status)
        } throws: { error in
            error.asRequestError?.code == .badStatus && error.asRequestError?.response?.status == status
        }
    }

    /// Damages bodies at random. Each is a token or an error, and nothing traps.
    @Test(arguments: 1...20)
    func damagedBodiesAreTokensOrErrors(_ seed: UInt64) {
        var generator = Seeded(seed)
        let bodies = Self.tokens.map { Array($0.testDescription.utf8) }
        var tokens = 0
        for _ in 0..<500 {
            var body = bodies.randomElement(using: &generator) ?? []
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0...body.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: body.insert(.random(in: 0...255, using: &generator), at: place)
                case 1: body.removeSubrange(place..<min(place + 3, body.count))
                case 2 where place < body.count: body[place] = .random(in: 0...255, using: &generator)
                default: body.insert(contentsOf: bodies.randomElement(using: &generator) ?? [], at: place)
                }
            }
            let type = ["application/json", "text/plain", nil].randomElement(using: &generator) ?? nil
            let response = HTTPResponse(
                status: [200, 400, 500].randomElement(using: &generator) ?? 200, headers: ["Content-Type": type],
                body: Data(body))
            do {
                let token = try TokenResponse(response, now: Self.now).token(now: Self.now, redaction: .standard)
                tokens += 1
                #expect(!token.value.isEmpty && token.value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
                #expect(token.refreshToken != "")
            } catch {
                #expect(error is OAuthError || error is RequestError)
            }
        }
        #expect(tokens > 0 && tokens < 500)
    }

    private struct Seeded: RandomNumberGenerator {
        private var state: UInt64

        init(_ seed: UInt64) {
            state = seed &* 0x9E37_79B9_7F4A_7C15
        }

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }
}
