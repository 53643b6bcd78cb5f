import Foundation
import TangoRequest
import Testing

@testable import TestSupport

@Suite struct ValidationBusinessTests {
    private struct Envelope: Decodable {
        let code: Int
        let text: String?
    }

    private let rule = Validation.business(code: "status.code", success: [0, "OK"], message: "status.text")

    @Test(arguments: [
        #"{"status":{"code":0}}"#, #"{"status":{"code":"0"}}"#, #"{"status":{"code":"OK"}}"#,
        #"{"status":{"code":0,"text":"fine"},"data":[]}"#,
    ])
    func successCodesPass(_ body: String) throws {
        try rule.check(HTTPResponse(body))
    }

    @Test(
        arguments: [
            (
                #"{"status":{"code":7,"text":"Sold out"}}"#, "7", "Sold out",
                "the server refused the request with the code 7"
            ),
            (#"{"status":{"code":"E-7"}}"#, "E-7", nil, "the server refused the request with the code E-7"),
            (
                #"{"status":{"code":"a secret text"}}"#, "a secret text", nil,
                "the server refused the request with a code that may contain any data: see businessCode"
            ),
            (#"{"status":{"text":"Sold out"}}"#, nil, "Sold out", "the server refused the request without a code"),
            (#"{"status":{"code":null}}"#, nil, nil, "the server refused the request without a code"),
            ("{}", nil, nil, "the server refused the request without a code"),
            ("[]", nil, nil, "the server refused the request without a code"),
            (#"{"status":{"code":"ok"}}"#, "ok", nil, "the server refused the request with the code ok"),
            (#"{"status":{"code":false}}"#, "false", nil, "the server refused the request with the code false"),
        ] as [(String, String?, String?, String)])
    func otherCodesFail(_ body: String, code: String?, message: String?, detail: String) throws {
        let error = try #require(throws: RequestError.self) { try rule.check(HTTPResponse(body)) }
        #expect(error.code == .business)
        #expect(error.businessCode == code)
        #expect(error.userMessage == message)
        #expect(error.detail == detail)
        #expect(error.response?.body == Data(body.utf8))
        #expect(error.message(in: .english) == message ?? "The server refused the request.")
        if let message { #expect(!error.description.contains(message)) }
        #expect(!error.description.contains("secret"))
    }

    @Test func otherFormatsAreNotDecodable() throws {
        let error = try #require(throws: RequestError.self) { try rule.check(HTTPResponse("<html>")) }
        #expect(error.code == .notDecodable)
        let empty = try #require(throws: RequestError.self) { try rule.check(HTTPResponse("")) }
        #expect(empty.code == .emptyResponse)
    }

    @Test func responseThatNeverHasABodyPasses() throws {
        for status in [204, 205, 304] as [HTTPStatus] { try rule.check(HTTPResponse("", status: status)) }
        var head = HTTPResponse("")
        head.request = HTTPRequest(method: .head, url: try #require(URL(string: "http://localhost/")))
        try rule.check(head)
    }

    @Test func customEnvelopeIsDecoded() throws {
        let rule = Validation.business(Envelope.self) { envelope in
            envelope.code == 0 ? nil : BusinessFailure(code: envelope.code, message: envelope.text)
        }
        try rule.check(HTTPResponse(#"{"code":0}"#))
        let error = try #require(throws: RequestError.self) {
            try rule.check(HTTPResponse(#"{"code":9,"text":"No"}"#))
        }
        #expect(error.businessCode == "9")
        #expect(error.message == "No")
    }

    @Test func ruleMayReadTheResponse() throws {
        let rule = Validation.business { response in
            response.headers["X-Failure"].map { BusinessFailure(message: $0) }
        }
        try rule.check(HTTPResponse("x"))
        let error = try #require(throws: RequestError.self) {
            try rule.check(HTTPResponse("x", headers: ["X-Failure": "No"]))
        }
        #expect(error.code == .business)
        #expect(error.businessCode == nil)
        #expect(error.message == "No")
    }
}
