#if os(Linux)
    import Foundation
    import LoopbackServer
    import TangoCCurl
    import Testing

    @testable import TangoCurl
    @testable import TangoRequest
    @testable import TestSupport

    /// The use of HTTP/3. No server of the tests speaks it, so only the choice and the fallback are tested.
    @Suite(.timeLimit(.minutes(20))) struct HTTP3Tests {
        typealias Choice = CurlVersionChoice

        static let choices: [(choice: Choice, version: Int32, problem: String?)] = [
            (Choice(isSupported: true), CURL_HTTP_VERSION_2TLS, nil),
            (Choice(isSupported: false), CURL_HTTP_VERSION_2TLS, nil),
            (Choice(offersHTTP2: false, isSupported: true), CURL_HTTP_VERSION_1_1, nil),
            (Choice(http3: .preferred, isSupported: true), CURL_HTTP_VERSION_3, nil),
            (Choice(http3: .preferred, isSupported: false), CURL_HTTP_VERSION_2TLS, nil),
            (Choice(http3: .preferred, offersHTTP2: false, isSupported: true), CURL_HTTP_VERSION_1_1, nil),
            (Choice(http3: .preferred, isSecure: false, isSupported: true), CURL_HTTP_VERSION_2TLS, nil),
            (Choice(http3: .preferred, hasDetour: true, isSupported: true), CURL_HTTP_VERSION_2TLS, nil),
            (Choice(http3: .preferred, hasTrustRules: true, isSupported: true), CURL_HTTP_VERSION_2TLS, nil),
            (Choice(http3: .required, isSupported: true), CURL_HTTP_VERSION_3ONLY, nil),
            (Choice(http3: .required, offersHTTP2: false, isSupported: true), CURL_HTTP_VERSION_3ONLY, nil),
            (Choice(http3: .required, isSupported: false), CURL_HTTP_VERSION_3ONLY, "the installed libcurl does not"),
            (Choice(http3: .required, isSecure: false, isSupported: true), CURL_HTTP_VERSION_3ONLY, "requires TLS"),
            (Choice(http3: .required, hasDetour: true, isSupported: true), CURL_HTTP_VERSION_3ONLY, "a proxy"),
            (
                Choice(http3: .required, hasTrustRules: true, isSupported: true), CURL_HTTP_VERSION_3ONLY,
                "rules of trust"
            ),
        ]

        @Test(arguments: choices)
        func versionIsChosen(_ choice: Choice, _ version: Int32, _ problem: String?) {
            #expect(choice.version == version)
            #expect((choice.problem == nil) == (problem == nil))
            if let problem { #expect(choice.problem?.contains(problem) == true, "\(choice.problem ?? "")") }
        }

        @Test(
            "libcurl falls back from HTTP/3 only from 7.88 on",
            arguments: [
                (CURL_VERSION_HTTP3, 0x07_58_00, true), (CURL_VERSION_HTTP3, 0x08_0B_00, true),
                (CURL_VERSION_HTTP3, 0x07_57_00, false), (CURL_VERSION_HTTP2, 0x08_0B_00, false), (0, 0, false),
            ] as [(Int32, UInt32, Bool)])
        func libraryHasHTTP3(_ features: Int32, _ version: UInt32, _ expected: Bool) {
            #expect(CurlLibrary.hasHTTP3(features: features, version: version) == expected)
        }

        @Test func preferredFallsBack() async throws {
            let server = try LoopbackServer()
            server.answer(with: .text("ok"))
            let transport = CurlTransport(CurlConfiguration(proxy: .direct, http3: .preferred))
            for _ in 0..<2 {
                let response = try await transport.send(HTTPRequest(.get, server))
                #expect(response.body == Data("ok".utf8))
                #expect(response.version == .http1_1)
            }
            #expect(server.connections.accepted == 1)
            #expect(transport.capabilities.contains(.http3) == CurlLibrary.hasHTTP3)
            #expect(!CurlTransport(CurlConfiguration()).capabilities.contains(.http3))
            await transport.shutdown()
        }

        @Test func requiredRefusesRequestsInTheClear() async throws {
            let server = try LoopbackServer()
            let transport = CurlTransport(CurlConfiguration(proxy: .direct, http3: .required))
            let error = try await failure { try await transport.send(HTTPRequest(.get, server)) }
            #expect(error.code == .unsupported)
            #expect(error.phase == .prepare)
            #expect(error.detail.contains("HTTP/3"))
            #expect(server.connections.accepted == 0)
            await transport.shutdown()
        }

        @Test(
            "over TLS, a libcurl without HTTP/3 uses HTTP/2",
            arguments: TransportUnderTest.everywhere.filter { $0.front == .http2 })
        func preferredFallsBackToHTTP2(_ kind: TransportUnderTest) async throws {
            let server = try LoopbackServer()
            server.answer(with: .text("ok"))
            let inner = CurlTransport(CurlConfiguration(proxy: .direct, http3: .preferred))
            let port = try #require(server.url.port)
            let transport = FrontedTransport(
                transport: inner, nginx: try await Nginx.server, site: .http2, port: port)
            let response = try await transport.send(HTTPRequest(.get, server))
            #expect(response.version == .http2)
            await transport.shutdown()
        }
    }
#endif
