#if os(Linux)
    import Foundation
    import TangoRequest
    import TangoCookies

    extension RequestProcess {
        static let host = URL(string: "https://example.com/") ?? URL(fileURLWithPath: "/")

        /// Sets cookies of several pages until the process is killed, and prints the number of each that is saved.
        static func cookies(in path: String) async throws {
            let jar = try CookieJar(file: URL(fileURLWithPath: path))
            var number = 0
            while true {
                let filling = String(repeating: "x", count: .random(in: 0...4000))
                jar.store(
                    ["number=\(number).\(filling); Max-Age=1000", "c\(number % 20)=\(filling); Max-Age=1000"],
                    from: host,
                    at: Date())
                if Int.random(in: 0..<3) == 0 {
                    try await jar.save()
                    tell("saved", number)
                }
                number += 1
            }
        }

        /// Sets 20 cookies of a name, while other processes set theirs.
        static func sharedCookies(in path: String, _ name: String) async throws {
            let jar = try CookieJar(file: URL(fileURLWithPath: path))
            for number in 0..<20 {
                jar.store(["\(name)\(number)=1; Max-Age=1000"], from: host, at: Date())
                if number.isMultiple(of: 5) { try await jar.save() }
            }
            try await jar.save()
        }

        /// Prints the public suffixes that the process has.
        static func suffixes() {
            let jar = CookieJar()
            tell("complete", jar.publicSuffixes.isComplete)
            tell("description", jar.publicSuffixes)
            let url = URL(string: "https://a.co.uk/") ?? host
            jar.store(["a=1; Domain=co.uk", "b=1; Domain=uk"], from: url, at: Date())
            tell("stored", jar.cookies.map(\.name))
        }
    }
#endif
