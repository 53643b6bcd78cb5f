#if os(Linux)
    import Foundation
    import Testing

    @testable import TangoCurl
    @testable import TangoRequest
    @testable import TestSupport

    /// The descriptors and threads that a transport uses and leaves behind, counted in a separate process.
    @Suite(.timeLimit(.minutes(20))) struct ProcessTests {
        private func expectNothingLeft(_ child: RequestChild, sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(child["done"] == "yes", "\(child.facts)", sourceLocation: sourceLocation)
            #expect(child.status == 0, sourceLocation: sourceLocation)
            // The thread pools may have opened a descriptor. A leak would be hundreds.
            #expect(child.number("descriptors") ?? .max <= 2, "\(child.facts)", sourceLocation: sourceLocation)
            #expect(child.number("threads") ?? .max <= 0, "\(child.facts)", sourceLocation: sourceLocation)
        }

        @Test func faultsLeaveNothingBehind() async throws {
            expectNothingLeft(try await RequestChild("faults", isLongRun ? "50" : "1"))
        }

        @Test func releasedClientsLeaveNothingBehind() async throws {
            expectNothingLeft(try await RequestChild("clients", isLongRun ? "5000" : "200"))
        }

        @Test(arguments: 1...(isLongRun ? 200 : 4))
        func cancellationIsSafeAtAnyMoment(_ seed: Int) async throws {
            let child = try await RequestChild("leavers", "\(seed)")
            expectNothingLeft(child)
            let endings = Set(child.facts.keys.filter { $0.hasPrefix("ended.") })
            #expect(endings.isSubset(of: ["ended.whole", "ended.cancelled"]), "\(child.facts)")
        }

        @Test func manyRequestsNeedNoMoreResourcesThanFew() async throws {
            let child = try await RequestChild("many", isLongRun ? "2000000" : "20000")
            expectNothingLeft(child)
            #expect(child.number("memory") ?? .max < 4_000, "\(child.facts)")
            #expect(child.number("connections") ?? .max <= 8, "\(child.facts)")
        }

        @Test(arguments: URLSessionOnLinux.isEnabled ? ["curl", "urlsession"] : ["curl"])
        func waitingUploadsHoldNoDescriptors(_ transport: String) async throws {
            let child = try await RequestChild("queued", "500", transport)
            #expect(child["done"] == "yes", "\(child.facts)")
            #expect(child.number("descriptors") ?? .max <= 10, "\(child.facts)")
            #expect(child["responses"] == "500")
        }

        @Test func missingDescriptorsFailWithOutOfResources() async throws {
            let child = try await RequestChild("exhausted")
            #expect(child["done"] == "yes", "\(child.facts)")
            // The process opens a connection, a file and the loop of another transport, in this order.
            #expect(child["codes"] == "outOfResources:true,outOfResources:true,outOfResources:true")
            #expect(child["held"] == "200")
            #expect(child["after"] == "200")
        }

        /// A Boolean value that indicates whether the system reads a file of aliases when it looks up a name.
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
        func endlessLookupDelaysNoOtherRequest() async throws {
            let child = try await RequestChild("lookups")
            #expect(child["left"] == "cancelled", "\(child.facts)")
            #expect(child["response"] == "200")
            #expect(child["late"] == "connectTimedOut")
            #expect(child["last"] == "shutDown")
            #expect(child["done"] == "yes")
        }

        @Test func withoutLibcurlEveryRequestFailsAndTheErrorNamesThePackage() async throws {
            let child = try await RequestChild("missing", environment: ["TANGO_CURL_LIBRARY": "/nowhere/libcurl.so.4"])
            try expectError(of: child, naming: "/nowhere/libcurl.so.4")
            // FoundationNetworking loads libcurl.
            #expect(child["curl"] == "\(URLSessionOnLinux.isEnabled)")
        }

        @Test(arguments: ["http9://ada:hidden7@p.example:1", "http://ada:hidden7@p.example:9x"])
        func invalidProxyOfTheEnvironmentFailsWithoutItsPassword(_ proxy: String) async throws {
            let child = try await RequestChild("missing", environment: ["http_proxy": proxy, "no_proxy": ""])
            #expect(child["codes"] == "proxyFailed,proxyFailed,proxyFailed", "\(child.facts)")
            #expect(child["detail"]?.contains("Unsupported proxy") == true, "\(child.facts)")
            #expect(!child.facts.values.contains { $0.contains("hidden7") }, "\(child.facts)")
        }

        /// Checks that each request failed at once with an error that names the package to install.
        private func expectError(of child: RequestChild, naming file: String) throws {
            #expect(child["codes"] == "noTransport,noTransport,noTransport", "\(child.facts)")
            let detail = try #require(child["detail"])
            #expect(detail.contains(file))
            #expect(detail.contains("the package libcurl4 on Debian"))
            #expect(detail.contains("libcurl on Fedora"))
            #expect(child["problem"]?.contains(file) == true)
            #expect(child["version"] == "none")
            #expect(child["requests"] == "0")
            #expect(child["done"] == "yes")
        }

        #if !URLSessionOnLinux
            /// FoundationNetworking needs libcurl, so a program that links it would not start here.
            @Test func aProgramStartsWithoutLibcurl() async throws {
                let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tango-\(UUID().uuidString)")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(at: folder) }
                let empty = folder.appendingPathComponent("libcurl.so.4")
                try Data().write(to: empty)
                let child = try await RequestChild("missing", environment: ["LD_LIBRARY_PATH": folder.path])
                try expectError(of: child, naming: empty.path)
                #expect(child["curl"] == "false")
                #expect(child["networking"] == "false")
            }

            @Test func requestsDoNotLoadFoundationNetworking() async throws {
                let child = try await RequestChild("clients", "1")
                #expect(child["done"] == "yes", "\(child.facts)")
                #expect(child["curl"] == "true")
                #expect(child["networking"] == "false")
            }
        #endif

        @Test(
            .enabled(if: URLSessionOnLinux.isEnabled, URLSessionOnLinux.comment), arguments: 1...(isLongRun ? 50 : 2))
        func cancellationIsSafeAtAnyMomentWithURLSession(_ seed: Int) async throws {
            let child = try await RequestChild("leavers", "\(seed)", "urlsession")
            expectNothingLeft(child)
            let endings = Set(child.facts.keys.filter { $0.hasPrefix("ended.") })
            #expect(endings.isSubset(of: ["ended.whole", "ended.cancelled"]), "\(child.facts)")
        }

        @Test func brokenConnectionsDoNotEndTheProcess() async throws {
            let child = try await RequestChild("pipes", "30")
            #expect(child["done"] == "yes")
            #expect(!child.isKilled)
        }
    }
#endif
