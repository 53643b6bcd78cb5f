import TangoRequest
import Testing

@testable import TestSupport

@Suite struct HTTPStatusTests {
    @Test(arguments: [
        (HTTPStatus.continue, 100, "Continue"), (.earlyHints, 103, "Early Hints"), (.ok, 200, "OK"),
        (.noContent, 204, "No Content"), (.imUsed, 226, "IM Used"), (.found, 302, "Found"),
        (.notModified, 304, "Not Modified"), (.permanentRedirect, 308, "Permanent Redirect"),
        (.notFound, 404, "Not Found"), (.contentTooLarge, 413, "Content Too Large"),
        (.uriTooLong, 414, "URI Too Long"), (.tooManyRequests, 429, "Too Many Requests"),
        (.unavailableForLegalReasons, 451, "Unavailable For Legal Reasons"),
        (.internalServerError, 500, "Internal Server Error"), (.serviceUnavailable, 503, "Service Unavailable"),
        (.httpVersionNotSupported, 505, "HTTP Version Not Supported"),
        (.networkAuthenticationRequired, 511, "Network Authentication Required"),
    ])
    func registeredCodesHaveTheirNames(_ status: HTTPStatus, _ code: Int, _ name: String) {
        #expect(status.code == code)
        #expect(status.name == name)
        #expect("\(status)" == "\(code)")
    }

    @Test func theRegistryIsComplete() {
        let registered = (0...999).filter { !HTTPStatus($0).name.hasPrefix("Unknown") }
        #expect(
            registered == Array(100...104) + Array(200...208) + [226] + Array(300...305) + [307, 308]
                + Array(400...417) + Array(421...426) + [428, 429, 431, 451] + Array(500...508) + [510, 511])
        #expect(Set(registered.map { HTTPStatus($0).name }).count == registered.count)
    }

    @Test(arguments: [
        (199, "Unknown informational response"), (299, "Unknown success"), (399, "Unknown redirection"),
        (418, "Unknown client error"), (599, "Unknown server error"), (99, "Unknown status"),
        (600, "Unknown status"), (-1, "Unknown status"), (0, "Unknown status"),
    ])
    func otherCodesHaveTheNameOfTheirClass(_ code: Int, _ name: String) {
        #expect(HTTPStatus(code).name == name)
    }

    @Test(arguments: [
        (99, HTTPStatus.Class.unknown), (100, .informational), (199, .informational), (200, .success), (299, .success),
        (300, .redirection), (399, .redirection), (400, .clientError), (499, .clientError), (500, .serverError),
        (599, .serverError), (600, .unknown),
    ])
    func theFirstDigitIsTheClass(_ code: Int, _ expected: HTTPStatus.Class) {
        let status = HTTPStatus(code)
        #expect(status.class == expected)
        #expect(status.isInformational == (expected == .informational))
        #expect(status.isSuccess == (expected == .success))
        #expect(status.isRedirection == (expected == .redirection))
        #expect(status.isClientError == (expected == .clientError))
        #expect(status.isServerError == (expected == .serverError))
    }

    @Test func aStatusComparesWithNumbers() {
        let status: HTTPStatus = 404
        #expect(status == 404)
        #expect(status == .notFound)
        #expect(status > .ok)
        #expect(400..<500 ~= status)
        #expect(!(200... ~= HTTPStatus(199)))
        #expect(Int(status) == 404)
        switch status {
        case 200..<300: Issue.record("404 is no success")
        case .notFound: break
        default: Issue.record("404 is .notFound")
        }
    }
}
