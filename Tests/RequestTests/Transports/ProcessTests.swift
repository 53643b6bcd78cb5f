#if os(Linux)
    import Foundation
    import Testing

    @testable import TangoRequest

    /// What a transport holds and leaves behind, counted in a process that does nothing else.
    @Suite(.timeLimit(.minutes(20))) struct ProcessTests {
        static let isLongRun = ProcessInfo.processInfo.environment["TANGO_LONG"] == "1"

        private func expectNothingLeft(_ child: RequestChild, sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(child["done"] == "yes", "\(child.facts)", sourceLocation: sourceLocation)
            #expect(child.status == 0, sourceLocation: sourceLocation)
            // The pools of threads may have opened one of theirs meanwhile; a leak would be of hundreds.
            #expect(child.number("descriptors") ?? .max <= 2, "\(child.facts)", sourceLocation: sourceLocation)
            #expect(child.number("threads") ?? .max <= 0, "\(child.facts)", sourceLocation: sourceLocation)
        }

        @Test func faultsLeaveNothingBehind() async throws {
            expectNothingLeft(try await RequestChild("faults", Self.isLongRun ? "50" : "1"))
        }

        @Test func clientsComeAndGo() async throws {
            expectNothingLeft(try await RequestChild("clients", Self.isLongRun ? "5000" : "200"))
        }

        @Test(arguments: 1...(isLongRun ? 200 : 4))
        func anythingMayBeCancelledAtAnyMoment(_ seed: Int) async throws {
            let child = try await RequestChild("leavers", "\(seed)")
            expectNothingLeft(child)
            let endings = Set(child.facts.keys.filter { $0.hasPrefix("ended.") })
            #expect(endings.isSubset(of: ["ended.whole", "ended.cancelled"]), "\(child.facts)")
        }

        @Test func manyRequestsTakeNoMoreThanAFew() async throws {
            let child = try await RequestChild("many", Self.isLongRun ? "2000000" : "50000")
            expectNothingLeft(child)
            #expect(child.number("memory") ?? .max < 4_000, "\(child.facts)")
            #expect(child.number("connections") ?? .max <= 8, "\(child.facts)")
        }

        @Test(arguments: ["curl", "urlsession"])
        func uploadsThatWaitHoldNoDescriptors(_ transport: String) async throws {
            let child = try await RequestChild("queued", "500", transport)
            #expect(child["done"] == "yes", "\(child.facts)")
            #expect(child.number("descriptors") ?? .max <= 10, "\(child.facts)")
            #expect(child["answers"] == "500")
        }

        @Test func descriptorsMayRunOut() async throws {
            let child = try await RequestChild("exhausted")
            #expect(child["done"] == "yes", "\(child.facts)")
            // A connection, a file, and the loop of another transport are wanted, one after the other.
            #expect(child["codes"] == "outOfResources:true,outOfResources:true,outOfResources:true")
            #expect(child["held"] == "200")
            #expect(child["after"] == "200")
        }

        /// Whether the system looks into a file of aliases when it looks up a name.
        private static var readsAliases: Bool {
            let settings = (try? String(contentsOfFile: "/etc/nsswitch.conf", encoding: .utf8)) ?? ""
            guard let hosts = settings.split(separator: "\n").first(where: { $0.hasPrefix("hosts:") }) else {
                return true
            }
            return hosts.split(whereSeparator: \.isWhitespace).dropFirst() == ["files", "dns"]
        }

        @Test(
            .enabled(if: CurlLibrary.leavesLookups, "libcurl before 7.87 waits for look-ups"),
            .enabled(if: readsAliases, "names are not looked up by files and servers alone"))
        func aLookupWithoutAnEndHoldsUpNothing() async throws {
            let child = try await RequestChild("lookups")
            #expect(child["left"] == "cancelled", "\(child.facts)")
            #expect(child["answer"] == "200")
            #expect(child["late"] == "connectTimedOut")
            #expect(child["last"] == "shutDown")
            #expect(child["done"] == "yes")
        }

        @Test func aSystemWithoutTheLibraryIsToldWhatToDo() async throws {
            let child = try await RequestChild("missing", environment: ["TANGO_CURL_LIBRARY": "/nowhere/libcurl.so.4"])
            #expect(child["code"] == "noTransport", "\(child.facts)")
            let detail = try #require(child["detail"])
            #expect(detail.contains("/nowhere/libcurl.so.4"))
            #expect(detail.contains("Install libcurl"))
            #expect(child["problem"]?.contains("/nowhere/libcurl.so.4") == true)
            #expect(child["version"] == "none")
            // Clients are not left without a transport, and are told once.
            #expect(child["default"] == "URLSessionTransport")
            #expect(child["answer"] == "ok")
            #expect(child["reports"] == "1")
            #expect(child["report"]?.contains("/nowhere/libcurl.so.4") == true)
        }

        @Test(arguments: 1...(isLongRun ? 50 : 2))
        func anythingMayBeCancelledAtAnyMomentByURLSession(_ seed: Int) async throws {
            let child = try await RequestChild("leavers", "\(seed)", "urlsession")
            expectNothingLeft(child)
            let endings = Set(child.facts.keys.filter { $0.hasPrefix("ended.") })
            #expect(endings.isSubset(of: ["ended.whole", "ended.cancelled"]), "\(child.facts)")
        }

        @Test func noSignalComesFromBrokenConnections() async throws {
            let child = try await RequestChild("pipes", "30")
            #expect(child["done"] == "yes")
            #expect(!child.isKilled)
        }
    }
#endif
