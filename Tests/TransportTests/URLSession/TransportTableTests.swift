#if os(Linux)
    import Foundation
    import Testing

    @testable import TangoRequest
    @testable import TangoURLSession
    @testable import TestSupport

    /// The tables of the articles on transports, compared with the probes and with the limitations of the suites.
    @Suite(.timeLimit(.minutes(20))) struct TransportTableTests {
        private static let article: [[String]] = {
            let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
            let text = ["Transports.md", "URLSessionTransports.md"].map { name in
                let file = root.appendingPathComponent("Sources/Request/Request.docc/\(name)")
                return (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            }
            return text.joined().split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
                line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false).map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
            }
        }()

        private static let prefix = "``TransportCapabilities/"

        /// Returns the entry of the article for a capability and the column of a transport: yes, no, or nil for neither.
        private static func says(_ name: String, _ column: Int) -> Bool? {
            guard let row = article.first(where: { $0[0] == "\(prefix)\(name)``" }), row.count > column else {
                return nil
            }
            return row[column].hasPrefix("yes") ? true : row[column].hasPrefix("no") ? false : nil
        }

        /// A probe with one transport.
        struct Sight: Sendable, CustomTestStringConvertible {
            let kind: TransportUnderTest
            let probe: CapabilityProbe

            var testDescription: String { "\(probe.name) by \(kind.name)" }

            static func all(withNginx: Bool) -> [Sight] {
                CapabilityProbe.all.filter { $0.needsNginx == withNginx }.flatMap { probe in
                    probe.kinds.map { Sight(kind: $0, probe: probe) }
                }
            }
        }

        @Test(
            "a transport has exactly the capabilities of its column",
            arguments: Sight.all(withNginx: false))
        func columns(_ sight: Sight) async throws {
            try await expect(sight)
        }

        @Test(
            "a transport supports exactly the rules of trust of its column",
            .enabled(if: Nginx.isThere, Comment(rawValue: Nginx.comment)), arguments: Sight.all(withNginx: true))
        func columnsOfTrust(_ sight: Sight) async throws {
            try await expect(sight)
        }

        private func expect(_ sight: Sight) async throws {
            let column = try #require(sight.kind.column, "the article has no column for \(sight.kind.name)")
            let isDone = try await sight.probe.isDone(sight.kind)
            #expect(Self.says(sight.probe.name, column) == isDone)
            #expect(try sight.kind.make().capabilities.contains(sight.probe.capability) == isDone)
        }

        @Test("the table has a row for each capability, in the order of the probes")
        func capabilities() {
            let rows = Self.article.filter { $0[0].hasPrefix(Self.prefix) }
            #expect(rows.map { $0[0] } == CapabilityProbe.all.map { "\(Self.prefix)\($0.name)``" })
            let all = CapabilityProbe.all.reduce(into: TransportCapabilities()) { $0.formUnion($1.capability) }
            #expect(all.rawValue.nonzeroBitCount == CapabilityProbe.all.count)
            for kind in TransportUnderTest.all { #expect(all.isSuperset(of: kind.capabilities)) }
        }

        @Test("the column for Apple platforms matches the declared capabilities")
        func columnOfApple() {
            for probe in CapabilityProbe.all {
                #expect(
                    Self.says(probe.name, 3) == TransportCapabilities.sessionOnApple.contains(probe.capability),
                    "\(probe.name)")
            }
        }

        #if URLSessionOnLinux
            @Test("the table of URLSession on Linux has a row for each limitation of the suites")
            func limitations() throws {
                let rows = Self.article.filter { $0.count == 3 && !$0[0].hasPrefix("``") }
                #expect(Set(rows.map { $0[0] }) == Set(Limitation.allCases.map { "`\($0.rawValue)`" }))
                #expect(rows.count == Limitation.allCases.count)
                for row in rows {
                    let limitation = try #require(Limitation(rawValue: row[0].trimmingCharacters(in: ["`"])))
                    #expect(row[1].isEmpty == false)
                    let isRefused = !LimitationTests.refused(for: limitation).isEmpty
                    #expect(row[2].hasPrefix("`unsupported`") == isRefused, "\(limitation)")
                    #expect(row[2].isEmpty == !isRefused, "\(limitation)")
                }
            }
        #endif

        @Test("a transport has either a limitation or the matching capability")
        func limitationsAreNoCapabilities() {
            let pairs: [(Limitation, TransportCapabilities)] = [
                (.trailers, .trailers), (.backPressure, .responseBackPressure),
                (.streamedUploads, .requestBackPressure), (.getBodies, .getBodies), (.phaseMetrics, .phaseMetrics),
                (.contentCoding, .decompressionControl), (.requestFieldOrder, .exactHeaders), (.trust, .customTrust),
            ]
            for kind in TransportUnderTest.all {
                for (limitation, capability) in pairs {
                    #expect(
                        kind.limitations.contains(limitation) == kind.capabilities.isDisjoint(with: capability),
                        "\(kind.name), \(limitation)")
                }
            }
        }

        #if URLSessionOnLinux
            @Test("the table has a row for every request that URLSession would change")
            func refusals() throws {
                let rows: [String: [Limitation]] = [
                    "reserved": [.expectations], "capitalized": [.lowercaseMethods], "removesDots": [.dotSegments],
                    "takesProxies": [.proxies], "isProxyInEnvironment": [.proxies], "survivesTrailers": [.trailers],
                    "takesKeysOfPEM": [.trust],
                ]
                let fields = Mirror(reflecting: SessionRefusal.current).children.compactMap(\.label)
                #expect(Set(fields) == Set(rows.keys), "a refusal is missing from the table")
                #expect(SessionRefusal.current.reserved == ["expect"])
                for limitation in rows.values.joined() {
                    #expect(!LimitationTests.refused(for: limitation).isEmpty, "\(limitation)")
                }
            }
        #endif

        @Test("the table of refusals on Apple platforms is complete")
        func refusalsOnApple() throws {
            /// Returns the names in the row that begins with `first`.
            func names(_ first: String) throws -> [String] {
                let row = try #require(Self.article.first { $0[0].hasPrefix("`\(first)`") })
                return row[0].split(separator: ",").map { $0.trimmingCharacters(in: [" ", "`"]) }
            }
            let apple = SessionRefusal.onApple
            #expect(Set(try names("Connection").map { $0.lowercased() }) == apple.reserved)
            #expect(Set(try names("get").map { $0.uppercased() }) == apple.capitalized)
            #expect(Self.article.contains { $0[0].hasPrefix("`Accept-Encoding`") })
            for (encoding, isRefused) in [("br", true), ("identity", false)] {
                let url = try #require(URL(string: "http://localhost/"))
                let request = HTTPRequest(url: url, headers: ["Accept-Encoding": encoding])
                #expect((apple.refusal(of: request, proxy: .direct) != nil) == isRefused)
            }
            #expect(try names("`ServerTrust/clientCertificate(_:key:passphrase:)`").count == 1 && !apple.takesKeysOfPEM)
            #expect(!apple.removesDots && apple.takesProxies && apple.survivesTrailers && !apple.isProxyInEnvironment)
        }
    }

    extension TransportUnderTest {
        /// The column of the transport in the article.
        fileprivate var column: Int? {
            name.hasPrefix("CurlTransport") ? 2 : name.hasPrefix("URLSessionTransport") ? 4 : nil
        }
    }
#endif
