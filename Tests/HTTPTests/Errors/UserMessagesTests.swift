import Foundation
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

@Suite struct UserMessagesTests {
    private func error(_ code: RequestError.Code, status: HTTPStatus? = nil) -> RequestError {
        RequestError(code, phase: .wait, detail: "", response: status.map { HTTPResponse(status: $0) })
    }

    @Test(
        arguments: [
            ("en", "The server took too long to respond. Try again later."),
            ("en-GB", "The server took too long to respond. Try again later."),
            ("en_US.UTF-8", "The server took too long to respond. Try again later."),
            ("zh-Hans", "服务器响应超时，请稍后再试。"), ("zh-Hans-CN", "服务器响应超时，请稍后再试。"),
            ("zh_CN.UTF-8", "服务器响应超时，请稍后再试。"), ("zh", "服务器响应超时，请稍后再试。"),
            ("ZH-hans", "服务器响应超时，请稍后再试。"), ("zh-SG", "服务器响应超时，请稍后再试。"),
            ("zh-TW", "The server took too long to respond. Try again later."),
            ("zh-Hant-HK", "The server took too long to respond. Try again later."),
            ("fr", "The server took too long to respond. Try again later."),
            ("", "The server took too long to respond. Try again later."),
        ] as [(UserLanguage, String)])
    func messagesAreInTheLanguageOfTheUserOrEnglish(_ language: UserLanguage, _ text: String) {
        #expect(error(.idleTimedOut).message(in: language) == text)
    }

    @Test func firstLanguageWithATableIsUsed() {
        #expect(error(.business).message(in: "fr", "zh-TW", "zh-CN", "en") == "服务器拒绝了该请求。")
        #expect(error(.business).message() == "The server refused the request.")
    }

    @Test(
        arguments: [
            (200, "The server has a problem. Try again later."),
            (302, "What you are looking for has moved to another address."),
            (308, "What you are looking for has moved to another address."),
            (304, "The server has a problem. Try again later."),
            (401, "You do not have access to this. Sign in and try again."),
            (403, "You do not have access to this. Sign in and try again."),
            (404, "What you are looking for does not exist."), (410, "What you are looking for does not exist."),
            (422, "The server refused the request."),
            (429, "That was too many requests at once. Wait a moment and try again."),
            (500, "The server has a problem. Try again later."),
        ] as [(HTTPStatus, String)])
    func statusesHaveTheirOwnMessages(_ status: HTTPStatus, _ text: String) {
        #expect(error(.badStatus, status: status).message(in: .english) == text)
    }

    @Test func everyMessageExistsInBothLanguages() {
        let messages = UserMessages.standard
        let unknown = RequestError.Code(rawValue: "unheard of")
        let other = messages.text(for: unknown, in: [.english])
        let inChinese = messages.text(for: unknown, in: [.simplifiedChinese])
        #expect(other == "Something went wrong. Try again later.")
        for code in Self.codes {
            let english = messages.text(for: code, in: [.english])
            let chinese = messages.text(for: code, in: [.simplifiedChinese])
            #expect((english == other) == (chinese == inChinese), "\(code)")
            #expect(english != chinese)
            #expect(english.hasSuffix("."))
            #expect(chinese.hasSuffix("。"))
        }
        for situation in UserMessages.Situation.allCases {
            let english = messages.text(for: situation, in: [.english])
            let chinese = messages.text(for: situation, in: [.simplifiedChinese])
            #expect((english == other) == (situation == .other))
            #expect((chinese == inChinese) == (situation == .other))
            #expect(english.hasSuffix("."))
            #expect(chinese.hasSuffix("。"))
        }
    }

    @Test func messagesCanBeReplacedAndAdded() {
        var messages = UserMessages.standard
        messages.set("A nap.", for: .badStatus)
        messages.set("Sign in.", for: .signInNeeded)
        messages.set("Kein Netz.", for: .cannotConnect, in: "de")
        messages.set("Gibt es nicht.", for: .missing, in: "de")
        #expect(messages.text(for: .signInNeeded, in: [.english]) == "Sign in.")
        #expect(messages.text(for: .missing, in: ["de"]) == "Gibt es nicht.")
        #expect(messages.text(for: .badStatus, in: ["en-US"]) == "A nap.")
        #expect(messages.text(for: .cannotConnect, in: ["de-CH"]) == "Kein Netz.")
        // German has no message for this code, so the next language is used.
        #expect(messages.text(for: .badStatus, in: ["de", "zh"]) == "服务器出现问题，请稍后再试。")
        #expect(messages.text(for: .badStatus, in: ["de"]) == "A nap.")
        #expect(UserMessages.standard.text(for: .badStatus, in: [.english]) != "A nap.")
    }

    @Test func messageOfTheServerComesFirst() {
        var error = error(.business)
        error.userMessage = "Sold out"
        #expect(error.message == "Sold out")
        #expect(error.message(in: .simplifiedChinese) == "Sold out")
    }

    @Test(
        arguments: [
            ([:], []), (["LANG": "C"], []), (["LANG": "POSIX"], []), (["LANG": "C.UTF-8"], []), (["LANG": ""], []),
            (["LANG": "zh_CN.UTF-8"], ["zh-CN"]), (["LANG": "de_DE@euro"], ["de-DE"]),
            (["LC_ALL": "fr_FR", "LC_MESSAGES": "de", "LANG": "zh_CN"], ["fr-FR"]),
            (["LC_ALL": "", "LC_MESSAGES": "de", "LANG": "zh_CN"], ["de"]),
            (["LANG": "de_DE", "LANGUAGE": "de_AT:zh:en"], ["de-AT", "zh", "en", "de-DE"]),
            (["LANG": "C", "LANGUAGE": "de"], []), (["LC_ALL": "C", "LANG": "de"], []),
        ] as [([String: String], [UserLanguage])])
    func languagesAreReadFromTheEnvironment(_ environment: [String: String], _ expected: [UserLanguage]) {
        #expect(UserLanguage.preferred(in: environment) == expected)
    }

    @Test func languagesCompareWithoutCase() {
        #expect(UserLanguage(rawValue: "ZH-hans") == .simplifiedChinese)
        #expect(Set<UserLanguage>(["en", "EN", "En"]).count == 1)
        #expect("\(UserLanguage(rawValue: "pt_BR.UTF-8"))" == "pt-BR")
    }

    private static let codes: [RequestError.Code] = [
        .badURL, .badMethod, .badHeader, .badBody, .bodyNotReplayable, .unsupported, .notEncodable, .noEndpoint,
        .noBaseURL, .noSerializer, .noStub, .offline, .hostNotFound, .cannotConnect, .proxyFailed, .tlsFailed,
        .untrusted,
        .connectTimedOut, .idleTimedOut, .attemptTimedOut, .totalTimedOut, .connectionLost, .truncated, .badResponse,
        .badEncoding,
        .decompressionLimit, .responseTooLarge, .outOfResources, .shutDown, .noTransport, .transportFailed, .badStatus,
        .badContentType, .business, .refusedResponse, .emptyResponse, .notDecodable, .notCached, .duplicate, .badTrust,
        .notProcessed, .proxyAuthenticationRequired,
    ]
}
