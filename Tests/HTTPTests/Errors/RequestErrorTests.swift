import Foundation
import TangoAuth
import TangoCookies
import TangoRequest
import Testing

@testable import TestSupport

@Suite struct RequestErrorTests {
    private struct Odd: Error, CustomStringConvertible {
        var description: String { "the password is hunter2" }
    }

    private let url = URL(string: "https://ada:hunter2@example.com/a?id=7&access_token=hunter2#b")!

    private func sample(underlying: (any Error)? = nil) -> RequestError {
        let request = HTTPRequest(
            method: .post, url: url,
            headers: [
                "Accept": "a/b", "authorization": "Basic hunter2", "COOKIE": "a=hunter2", "X-Api-Key": "hunter2",
            ],
            body: .string("hunter2"))
        let response = HTTPResponse(
            status: 302, reason: "hunter2",
            headers: [
                "Set-Cookie": "a=hunter2", "Set-Cookie": "b=hunter2", "Proxy-Authorization": "hunter2",
                "Location": "/next?page=2&sig=hunter2", "Link": "<https://u:hunter2@h/?key=hunter2>; rel=next",
            ],
            body: Data("hunter2".utf8))
        return RequestError(
            .badStatus, phase: .decode, detail: "went to https://example.com/?token=hunter2&x=1", request: request,
            response: response, underlying: underlying)
    }

    @Test func changingACopyChangesOnlyThatPropertyAndOnlyTheCopy() {
        var error = sample(underlying: Odd())
        error.metrics = AttemptMetrics()
        error.declaration = "GetUser"
        error.isReplaced = true
        error.retryDecision = RetryDecision(no: .final)
        error.payload = 7
        error.userMessage = "Sorry."
        error.businessCode = "E1"
        error.redaction = Redaction(headers: ["X-Mine"])
        let original = error
        var texts = [String: String](uniqueKeysWithValues: properties(of: original))
        error.code = .truncated
        #expect(original.code == .badStatus)
        texts["code"] = "truncated"
        #expect([String: String](uniqueKeysWithValues: properties(of: error)) == texts)
        error.request?.headers = [:]
        error.response?.status = 200
        #expect(original.request?.headers.isEmpty == false)
        #expect(original.response?.status == 302)
        #expect(error.request?.headers.isEmpty == true && error.response?.status == 200)
    }

    private func properties(of error: RequestError) -> [(String, String)] {
        [
            ("code", "\(error.code)"), ("phase", "\(error.phase)"), ("detail", error.detail),
            ("request", error.request?.debugDescription ?? ""), ("response", error.response?.debugDescription ?? ""),
            ("metrics", "\(error.metrics == AttemptMetrics())"), ("declaration", error.declaration ?? ""),
            ("isReplaced", "\(error.isReplaced)"), ("retryDecision", error.retryDecision.map { "\($0)" } ?? ""),
            ("underlying", error.underlying.map { "\($0)" } ?? ""), ("payload", "\(error.payload as? Int ?? 0)"),
            ("userMessage", error.userMessage ?? ""), ("businessCode", error.businessCode ?? ""),
            ("redaction", "\(error.redaction == Redaction(headers: ["X-Mine"]))"),
        ]
    }

    @Test func theDescriptionIsOneLineWithoutSecrets() {
        #expect(
            "\(sample())"
                == "badStatus (decode): went to https://example.com/?token=…&x=1, "
                + "POST https://…@example.com/a?id=7&access_token=…#b, status 302 Found")
    }

    @Test func theDebugDescriptionHasTheHeadersWithoutSecrets() {
        #expect(
            String(reflecting: sample()) == """
                RequestError.badStatus (decode): went to https://example.com/?token=…&x=1
                request: POST https://…@example.com/a?id=7&access_token=…#b
                  Accept: a/b
                  authorization: …
                  COOKIE: …
                  X-Api-Key: …
                response: HTTP/1.1 302 Found
                  Set-Cookie: …
                  Set-Cookie: …
                  Proxy-Authorization: …
                  Location: /next?page=2&sig=…
                  Link: <https://…@h/?key=…>; rel=next
                  (7 bytes of body)
                """)
    }

    @Test(arguments: [
        Odd() as any Error, RequestError(.badBody, phase: .prepare, detail: "x", request: nil, underlying: Odd()),
        DecodingProblem(path: "a", expected: "Int", found: "a string", excerpt: "hunter2"), Hidden(),
    ])
    func textOfUnderlyingErrorsIsNotInTheDescription(_ underlying: any Error) {
        let text = sample(underlying: underlying).description
        #expect(text.contains(", cause: "))
        #expect(!text.contains("hunter2"))
    }

    enum Upload: Error {
        case tooSmall
        case lost(String)
        case told(reason: String)
    }

    struct Full: LocalizedError {
        var errorDescription: String? { "The disk is full, see https://h/?token=hunter2" }
    }

    private struct Hidden: Error { var value = "hunter2" }

    @Test(
        arguments: [
            (Upload.tooSmall, "Upload.tooSmall"), (Upload.lost("hunter2"), "Upload.lost"),
            (Upload.told(reason: "hunter2"), "Upload.told"), (Full(), "Full: The disk is full, see https://h/?token=…"),
            (Hidden(), "Hidden"), (CancellationError(), "it was cancelled"),
            (
                DecodingError.keyNotFound(Key.b, .init(codingPath: [Key.a], debugDescription: "hunter2")),
                "a.b is missing"
            ),
            (
                DecodingError.typeMismatch(Int.self, .init(codingPath: [], debugDescription: "hunter2")),
                "Int was expected at the top"
            ),
            (
                EncodingError.invalidValue("hunter2", .init(codingPath: [Key.a], debugDescription: "hunter2")),
                "a value of String at a cannot be encoded"
            ),
            (POSIXError(.ENOENT), "POSIXError 2"),
        ] as [(any Error, String)])
    func underlyingErrorIsDescribed(_ underlying: any Error, _ words: String) {
        let text = sample(underlying: underlying).description
        #expect(text.hasSuffix(", cause: \(words)"), "\(text)")
        #expect(!sample(underlying: underlying).debugDescription.contains("unknown context"))
    }

    enum Key: CodingKey { case a, b }

    @Test func underlyingErrorDoesNotRepeatTheDetail() throws {
        let response = HTTPResponse(status: .ok, body: Data(#"{"a": "text"}"#.utf8))
        let error = try #require(throws: RequestError.self) { try Serializer<[String: Int]>.json.serialize(response) }
        #expect("\(error)".components(separatedBy: "expected Int at a, found a string").count == 2, "\(error)")
        let debug = String(reflecting: error)
        #expect(debug.components(separatedBy: "expected Int at a, found a string").count == 2, "\(debug)")
        #expect(debug.contains(#"excerpt: "{\"a\": \"text\"}""#), "\(debug)")

        let encoding = try #require(throws: RequestEncodingError.self) { try Query(["a": Double.nan]).encoded() }
        let sent = RequestError(.notEncodable, phase: .prepare, detail: encoding.message, underlying: encoding)
        #expect("\(sent)" == "notEncodable (prepare): \(encoding.message)")
    }

    @Test func errorWithoutMessagesIsShort() {
        let error = RequestError(.shutDown, phase: .prepare, detail: "the client was shut down")
        #expect("\(error)" == "shutDown (prepare): the client was shut down")
        #expect(String(reflecting: error) == "RequestError.shutDown (prepare): the client was shut down")
    }

    @Test func redactionMayBeExtended() {
        var error = sample()
        error.redaction.add(headers: ["accept"], queryItems: ["ID"])
        #expect(error.debugDescription.contains("Accept: …"))
        #expect(error.description.contains("id=…"))
    }

    @Test func errorsAreCaughtByTheirCode() {
        func caught(_ error: any Error) -> String {
            do {
                throw error
            } catch let error as RequestError where error.code == .idleTimedOut {
                return "idle"
            } catch RequestError.Code.totalTimedOut {
                return "total"
            } catch {
                return "other"
            }
        }
        #expect(caught(RequestError(.idleTimedOut, phase: .wait, detail: "")) == "idle")
        #expect(caught(RequestError(.totalTimedOut, phase: .wait, detail: "")) == "total")
        #expect(caught(RequestError(.shutDown, phase: .wait, detail: "")) == "other")
        #expect(caught(Odd()) == "other")
        #expect(RequestError.Code(rawValue: "idleTimedOut") == .idleTimedOut)
    }

    @Test func payloadHasItsType() {
        var error = sample()
        #expect(error.payload(as: Int.self) == nil)
        error.payload = 7
        #expect(error.payload(as: Int.self) == 7)
        #expect(error.payload(as: String.self) == nil)
    }

    @Test func localizedDescriptionIsTheMessageForTheUser() {
        var error = sample()
        error.userMessage = "Not today."
        #expect((error as any Error).localizedDescription == "Not today.")
        #expect(error.failureReason?.contains("hunter2") == false)
    }
}
