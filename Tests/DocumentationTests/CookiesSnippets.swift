import Foundation
import TangoCookies
import TangoRequest
import Testing

@testable import TestSupport

/// The code of "Cookies", and of the doc comments of the jar.
@Suite struct CookiesSnippets {
    private let files = ScratchFiles()
    private let url = URL(string: "https://example.com") ?? URL(fileURLWithPath: "/")

    @Test func jars() throws {
        let api = Client(baseURL: url) { $0.cookies = .jar }
        #expect(api.configuration.cookies.jar != nil)

        let jar = CookieJar()
        let shop = Client(baseURL: url) { $0.cookies = .jar(jar) }
        try jar.set(Cookie("theme", "dark", domain: "example.com"))
        for cookie in jar.cookies { print(cookie) }
        #expect(shop.configuration.cookies.jar === jar)
    }

    @Test func cookie() throws {
        let jar = CookieJar()
        var cookie = Cookie("theme", "dark", domain: "example.com")
        cookie.expires = Date(timeIntervalSinceNow: 86_400)
        try jar.set(cookie)
        #expect(jar.cookies.count == 1)
    }

    @Test func suffixes() throws {
        let file = try files.file("public_suffix_list.dat", Data("co.uk\n".utf8))
        let suffixes = PublicSuffixes.list(try String(contentsOf: file, encoding: .utf8))
        let jar = CookieJar(publicSuffixes: suffixes)
        #expect(jar.publicSuffixes.isComplete)
    }

    @Test func fileOfCookies() throws {
        let folder = files.url
        let jar = try CookieJar(file: folder.appendingPathComponent("cookies"))
        let api = Client(baseURL: url) { $0.cookies = .jar(jar) }
        #expect(api.configuration.cookies.identity == jar.identity)
    }

    @Test func netscape() throws {
        let file = try files.file("cookies.txt", Data("example.com\tFALSE\t/\tFALSE\t0\ta\tb".utf8))
        let jar = CookieJar()
        let ignored = jar.importNetscape(try String(contentsOf: file, encoding: .utf8))
        #expect(ignored.isEmpty)
        #expect(jar.exportNetscape().contains("a\tb"))
    }

    @Test func storage() {
        let custom = Client(baseURL: url) { $0.cookies = .custom(Visitor()) }
        #expect(custom.configuration.cookies.identity == nil)
    }
}

struct Visitor: CookieStorage {
    func cookieHeader(for url: URL, at date: Date) -> String? { "visitor=1" }
    func store(_ fields: [String], from url: URL, at date: Date) {}
}
