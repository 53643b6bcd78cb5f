import TangoRequest
import Testing

@testable import TestSupport

@Suite struct HTTPMethodTests {
    @Test(arguments: [
        (HTTPMethod.get, true, true), (.head, true, true), (.options, true, true), (.trace, true, true),
        (.query, true, true), (.put, false, true), (.delete, false, true), (.post, false, false),
        (.patch, false, false), (.connect, false, false), ("PROPFIND", true, true),
        ("REPORT", true, true), ("SEARCH", true, true), ("PROPPATCH", false, false), ("propfind", false, false),
    ])
    func methodsAreSafeOrIdempotent(_ method: HTTPMethod, safe: Bool, idempotent: Bool) {
        #expect(method.isSafe == safe)
        #expect(method.isIdempotent == idempotent)
    }

    @Test(arguments: ["GET", "PROPFIND", "M-SEARCH", "get", "a!#$%&'*+.^_`|~9"])
    func everyTokenIsAMethod(_ name: String) {
        #expect(HTTPMethod(name).isValid)
        #expect("\(HTTPMethod(name))" == name)
    }

    @Test(arguments: ["", "GET ", "GET\r\nHost: evil", "ÄNDERN", "A/B", "A:B", "\u{0}"])
    func otherNamesAreInvalid(_ name: String) {
        #expect(!HTTPMethod(name).isValid)
    }

    @Test func methodsAreCaseSensitive() {
        #expect(HTTPMethod("get") != .get)
    }
}
