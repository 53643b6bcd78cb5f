#if os(Linux)
    import Foundation
    import Testing

    @testable import TangoRequest
    @testable import TestSupport

    /// A check that `docs/errors.md` has every error with its current text.
    @Suite(.timeLimit(.minutes(20))) struct ErrorPageTests {
        private static let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
            url.deletingLastPathComponent()
        }

        private static func page() async throws -> ErrorPage {
            var page = ErrorPage()
            await page.addUnsent()
            try await page.addTransfers()
            try await page.addSigningIn()
            try await page.addChallenges()
            try await page.addResponses()
            await page.addTrust()
            try await page.addTokens()
            await page.addCaches()
            await page.addCookies()
            await page.addPromises()
            return page
        }

        @Test func pageIsUpToDate() async throws {
            let page = try await Self.page()
            for name in try Self.missing(in: page) {
                Issue.record("No error on the page has the code \(name): make one in ErrorPage+….swift.")
            }
            let file = Self.root.appendingPathComponent("docs/errors.md")
            if ProcessInfo.processInfo.environment["TANGO_UPDATE_DOCS"] == "1" {
                try page.text.write(to: file, atomically: true, encoding: .utf8)
                return
            }
            let old = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            guard old != page.text else { return }
            let new = page.text.split(separator: "\n")
            let lines = Set(old.split(separator: "\n"))
            let changed = new.filter { !lines.contains($0) } + lines.subtracting(new)
            Issue.record(
                """
                docs/errors.md is out of date. Read the new texts, then write the page with \
                `TANGO_UPDATE_DOCS=1 swift test --filter ErrorPageTests`. The lines that differ: \(changed.prefix(5))
                """)
        }

        /// The codes and cases that the sources declare and the page lacks.
        private static func missing(in page: ErrorPage) throws -> [String] {
            var found: Set<String> = []
            for sample in page.samples {
                found.insert("\(ErrorPage.kind(of: sample.error)).\(ErrorPage.code(of: sample.error))")
                guard let error = sample.error as? RequestError else { continue }
                if let failure = error.trustFailure { found.insert("TrustFailure.\(failure.rawValue)") }
                if let cause = error.underlying as? RequestEncodingError {
                    found.insert("RequestEncodingError.\(cause.code)")
                }
            }
            let declared =
                try names(
                    #/public static let (\w+) = Self\(/#, "RequestError", "HTTP/Errors/RequestError+Code.swift")
                + names(
                    #/public static let (\w+) = Self\(/#, "TrustFailure", "Transport/Trust/TrustFailure.swift")
                + names(
                    #/\n        case (\w+)\n/#, "RequestEncodingError", "HTTP/Encoding/RequestEncodingError.swift")
                + names(#/public static let (\w+) = Code\(/#, "CacheError", "Cache/Values/CacheError.swift")
                + names(
                    #/public static let (\w+) = PromiseError\(/#, "PromiseError", "Promise/PromiseError.swift")
            return declared.filter { !found.contains($0) && !unmade.contains($0) }
        }

        private static func names(
            _ pattern: Regex<(Substring, Substring)>, _ type: String, _ file: String
        ) throws -> [String] {
            let text = try String(contentsOf: root.appendingPathComponent("Sources/\(file)"), encoding: .utf8)
            let names = text.matches(of: pattern).map { "\(type).\($0.output.1)" }
            try #require(names.count > 3, "no codes in \(file)")
            return names
        }

        /// Codes without an error on the page, each with the reason.
        private static let unmade: Set<String> = [
            // A final check of encoded text. Foundation accepts the text, so the check does not fail.
            "RequestEncodingError.badURL"
        ]
    }
#endif
