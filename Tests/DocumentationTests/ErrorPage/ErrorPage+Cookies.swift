import Foundation
import TangoCookies
import TangoRequest

@testable import TestSupport

/// Errors of cookies and their files.
extension ErrorPage {
    mutating func addCookies() async {
        let jar = CookieJar(publicSuffixes: .singleLabels)
        func set(_ name: String, domain: String = "example.com") throws -> Any {
            try jar.set(Cookie(name, "1", domain: domain))
            return jar
        }
        await add("A cookie whose name has a semicolon.") { try set("a;b") }
        await add("A cookie for a domain that is not in lower case.") { try set("a", domain: "Example.com") }
        await add("A cookie with a prefix whose rules it breaks.") { try set("__Secure-a") }
        let folder = TemporaryFolder()
        func open(_ text: String) throws -> Any {
            let file = folder.url.appendingPathComponent("cookies")
            try Data(text.utf8).write(to: file)
            let jar = try CookieJar(file: file)
            if let problem = jar.problem { throw problem }
            return jar
        }
        await add("A damaged file of cookies, which the property `problem` reports.") { try open("Tango cookies 1") }
        await add("A file of curl in the place of the file of a jar.") { try open("# Netscape HTTP Cookie File\n") }
        await add("A file of cookies with a URL of the web.") {
            try CookieJar(file: URL(string: "https://example.com/cookies") ?? folder.url)
        }
    }
}
