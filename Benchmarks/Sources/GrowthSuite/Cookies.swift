import Foundation
import Harness
import Tango
import TangoCookies

/// A jar with cookies of as many hosts. It holds 3,000 in total.
func cookies(_ sizes: Sizes) -> [GrowthRow] {
    let upTo = sizes(upTo: 3_000)
    let jars = KeptForSizes(upTo) { count in
        let jar = CookieJar(publicSuffixes: .singleLabels)
        for number in 0..<count { try jar.set(Cookie("a", "1", domain: "host\(number).example\(number).com")) }
        return jar
    }

    func row(
        _ name: String, scheme: String = "https", _ use: @escaping @Sendable (CookieJar, URL) throws -> Void
    ) -> GrowthRow {
        GrowthRow(name, beside: "cookies in a jar", upTo) { count in
            let jar = try await jars(count)
            guard let url = URL(string: "\(scheme)://host0.example0.com/") else { throw Failure("not a URL") }
            return try await time(ofUpTo: 1_000) { _ in try use(jar, url) }
        }
    }
    return [
        row("the cookies of a request") { jar, url in keep(jar.cookieHeader(for: url, at: .now)) },
        row("set a cookie over https") { jar, url in jar.store(["a=2"], from: url, at: .now) },
        row("set a cookie over http", scheme: "http") { jar, url in jar.store(["a=2"], from: url, at: .now) },
    ]
}
