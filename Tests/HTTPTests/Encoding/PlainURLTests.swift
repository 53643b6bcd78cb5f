import Foundation
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

@Suite struct PlainURLTests {
    @Test(
        arguments: ["https://h", "https://h/", "http://h:8080/v1", "http://h/v1/", "http://[::1]:80/a/b"],
        ["/users/1", "/", "/a-b_c/", "/A/9"])
    func plainURLEqualsTheGeneralOne(_ base: String, _ path: String) throws {
        let base = try #require(URL(string: base))
        let plain = try #require(RequestURL.PlainBase(base))
        for query: Query in [[:], ["q": "a b", "n": 1]] {
            let made = try RequestURL.make(base: base, path: path, query: query)
            #expect(plain.url(path: path, query: try query.encoded()) == made)
        }
    }

    @Test(arguments: ["", "users", "//evil/x", "/a.b", "/..", "/a b", "/ä", "/a?b", "/a#b", "/a%20b", "https://other/"])
    func otherPathsAreNotPlain(_ path: String) throws {
        let plain = try #require(RequestURL.PlainBase(URL(string: "https://h/v1")))
        #expect(plain.url(path: path, query: "") == nil)
    }

    @Test(arguments: [nil, "https://user@h/", "https://h/?key=1", "ftp://h/", "h/path"])
    func otherBasesAreNotPlain(_ base: String?) {
        #expect(RequestURL.PlainBase(base.flatMap { URL(string: $0) }) == nil)
    }
}
