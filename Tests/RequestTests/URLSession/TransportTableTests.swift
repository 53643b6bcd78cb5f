#if os(Linux)
    import Foundation
    import Testing

    @testable import TangoRequest

    /// The tables of the article on transports, beside what transports say and what the suites leave out.
    @Suite struct TransportTableTests {
        private static let article: [[String]] = {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            let file = root.appendingPathComponent("Sources/Request/Request.docc/Transports.md")
            let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            return text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
                line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false).map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
            }
        }()

        static let names: [(String, TransportCapabilities)] = [
            ("tls", .tls), ("http2", .http2), ("pins", .pins), ("authorities", .authorities),
            ("clientCertificates", .clientCertificates), ("minimumTLS", .minimumTLS),
            ("certificateNames", .certificateNames), ("developmentHosts", .developmentHosts),
            ("responseBackPressure", .responseBackPressure), ("requestBackPressure", .requestBackPressure),
            ("trailers", .trailers), ("informationalResponses", .informationalResponses),
            ("exactHeaders", .exactHeaders), ("getBodies", .getBodies), ("phaseMetrics", .phaseMetrics),
            ("decompressionControl", .decompressionControl),
        ]

        @Test("the table of capabilities has a row for each, and says of each transport what it says itself")
        func capabilities() throws {
            let prefix = "``TransportCapabilities/"
            let rows = Self.article.filter { $0[0].hasPrefix(prefix) }
            #expect(rows.map { $0[0] } == Self.names.map { "\(prefix)\($0.0)``" })
            let kinds = TransportUnderTest.all
            let curl = try #require(kinds.first { $0.name == "CurlTransport" }).capabilities
            let session = try #require(kinds.first { $0.name == "URLSessionTransport" }).capabilities
            #expect(session == .sessionOnLinux && session == URLSessionTransport.shared.capabilities)
            for (row, (name, capability)) in zip(rows, Self.names) {
                for (column, capabilities) in [(2, curl), (3, .sessionOnApple), (4, session)] {
                    let says = row[column].hasPrefix("yes") ? true : row[column].hasPrefix("no") ? false : nil
                    #expect(says == capabilities.contains(capability), "\(name), column \(column)")
                }
            }
            let all = Self.names.reduce(into: TransportCapabilities()) { $0.formUnion($1.1) }
            #expect(all.isSuperset(of: curl.union(.sessionOnApple)))
        }

        @Test("the table of what URLSession does on Linux has a row for each limitation of the suites")
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

        @Test("what is a limitation to the suites is no capability, and the other way round")
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
    }
#endif
