import Foundation
import TangoRequest
import Testing

@testable import TestSupport

@Suite struct ValidationTests {
    private struct Odd: Error {}

    private func refusal(_ validation: Validation, _ response: HTTPResponse) throws -> RequestError? {
        do {
            try validation.check(response)
            return nil
        } catch let error as RequestError {
            return error
        }
    }

    @Test(
        arguments: [
            (.default, 200, true), (.default, 299, true), (.default, 199, false), (.default, 300, false),
            (.default, 404, false), (.status(200..<400), 302, true), (.status(200...204), 204, true),
            (.status(..<500), 404, true), (.status([200, 304]), 304, true), (.status([200, 304]), 204, false),
            (.status([.ok]), 200, true), (.none, 500, true),
        ] as [(Validation, HTTPStatus, Bool)])
    func statusIsValidated(_ validation: Validation, _ status: HTTPStatus, passes: Bool) throws {
        let error = try refusal(validation, HTTPResponse("body", status: status, headers: ["a": "b"]))
        #expect((error == nil) == passes)
        guard let error else { return }
        #expect(error.code == .badStatus)
        #expect(error.phase == .decode)
        #expect(error.response?.status == status)
        #expect(error.response?.body == Data("body".utf8))
        #expect(error.response?.headers["a"] == "b")
        #expect(error.detail.hasPrefix("the status is \(status) \(status.name), expected "))
    }

    @Test(
        arguments: [
            (.default, "200..<300"), (.status(200...204), "200...204"), (.status(..<300), "..<300"),
            (.status(...299), "...299"), (.status(500...), "500..."), (.status([304, 200]), "200, 304"),
        ] as [(Validation, String)])
    func errorNamesTheExpectedStatus(_ validation: Validation, _ words: String) throws {
        let error = try refusal(validation, HTTPResponse("", status: 404))
        #expect(error?.detail == "the status is 404 Not Found, expected \(words): check the URL")
    }

    @Test func errorOfARedirectNamesTheLocationWithoutSecrets() throws {
        let response = HTTPResponse("", status: 302, headers: ["location": "/next?page=1&token=secret"])
        let detail = try #require(try refusal(.default, response)?.detail)
        #expect(
            detail == "the status is 302 Found, expected 200..<300; "
                + "the redirect to /next?page=1&token=… was not followed")
        let lost = try #require(try refusal(.default, HTTPResponse("", status: 308))?.detail)
        #expect(lost == "the status is 308 Permanent Redirect, expected 200..<300; it names no URL to follow")
        #expect(try refusal(.default, HTTPResponse("", status: 304))?.detail.contains("follow") == false)
    }

    @Test(
        arguments: [
            ("application/json", ["application/json"], true),
            ("Application/JSON; charset=utf-8", ["application/json"], true),
            ("application/json", ["Application/Json"], true), ("text/html", ["application/json"], false),
            ("text/html", ["application/json", "text/html"], true), ("image/png", ["image/*"], true),
            ("imagex/png", ["image/*"], false), ("image/png", ["*/*"], true),
            ("application/problem+json", ["application/*+json"], true),
            ("application/json", ["application/*+json"], false),
            ("application/+json", ["application/*+json"], true), (nil, ["application/json"], false),
            (nil, ["*/*"], false), ("nonsense", ["*/*"], false), ("application/json", ["nonsense"], false),
            ("application/json", [], false),
        ] as [(String?, [String], Bool)])
    func contentTypeIsValidated(_ type: String?, _ patterns: [String], passes: Bool) throws {
        var response = HTTPResponse("x")
        response.headers["Content-Type"] = type
        let error = try refusal(.contentType(patterns), response)
        #expect((error == nil) == passes)
        if let error { #expect(error.code == .badContentType) }
    }

    @Test func responseWithoutABodyNeedsNoContentType() throws {
        #expect(try refusal(.contentType("application/json"), HTTPResponse("", status: 204)) == nil)
        #expect(try refusal(.contentType("application/json"), HTTPResponse("")) == nil)
    }

    @Test func firstFailedRuleDecides() throws {
        let both = Validation.default + .contentType("application/json")
        #expect(
            try refusal(both, HTTPResponse("x", status: 500, headers: ["Content-Type": "text/html"]))?.code
                == .badStatus)
        #expect(try refusal(both, HTTPResponse("x", headers: ["Content-Type": "text/html"]))?.code == .badContentType)
        #expect(try refusal(both, HTTPResponse("x", headers: ["Content-Type": "application/json"])) == nil)
        let other = Validation.contentType("application/json") + .default
        #expect(try refusal(other, HTTPResponse("x", status: 500))?.code == .badContentType)
        #expect(try refusal(.none + .default + .none, HTTPResponse("", status: 500))?.code == .badStatus)
    }

    @Test func customRuleMayThrow() throws {
        let odd = try #require(try refusal(.custom { _ in throw Odd() }, HTTPResponse("x")))
        #expect(odd.code == .refusedResponse)
        #expect(odd.underlying is Odd)
        #expect(odd.response?.body == Data("x".utf8))
        let own = Validation.custom { response in
            if response.headers["X-Ok"] == nil { throw RequestError(.badResponse, phase: .decode, detail: "no X-Ok") }
        }
        #expect(try refusal(own, HTTPResponse("x"))?.code == .badResponse)
        #expect(try refusal(own, HTTPResponse("x"))?.response != nil)
        #expect(try refusal(own, HTTPResponse("x", headers: ["X-Ok": "1"])) == nil)
        #expect(throws: CancellationError.self) {
            try Validation.custom { _ in throw CancellationError() }.check(HTTPResponse("x"))
        }
    }

    @Test func streamedBodyIsNotValidated() throws {
        let response = HTTPResponse(
            status: 200, headers: ["Content-Type": "text/html"], stream: BodyStream(Data("x".utf8)))
        #expect(try refusal(.business(code: "code", success: [0]), response) == nil)
        #expect(try refusal(.contentType("application/json"), response)?.code == .badContentType)
    }
}
