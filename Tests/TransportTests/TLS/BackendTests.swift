#if os(Linux)
    import Foundation
    import Testing

    @testable import TestSupport

    /// The TLS libraries that libcurl may use.
    @Suite(.timeLimit(.minutes(20))) struct BackendTests {
        private static let otherLibrary = "libcurl-gnutls.so.4"
        private static let hasOtherLibrary: Bool = {
            guard let library = dlopen(otherLibrary, RTLD_LAZY | RTLD_LOCAL) else { return false }
            dlclose(library)
            return true
        }()

        @Test(
            "a libcurl with another TLS library declares what it cannot do",
            .enabled(if: Nginx.isThere, Comment(rawValue: Nginx.comment)),
            .enabled(if: hasOtherLibrary, "it needs \(otherLibrary): install libcurl3-gnutls"))
        func otherTLSLibrariesDeclareTheirLimits() async throws {
            let server = try await Nginx.server
            let url = server.url(.right, "/refused", host: "localhost").absoluteString
            let authority = server.certificates.url("authority.pem").path
            let child = try await RequestChild(
                "trusting", url, authority, environment: ["TANGO_CURL_LIBRARY": Self.otherLibrary])
            #expect(child["authority"]?.contains("unsupported") == true, "\(child.facts)")
            #expect(child["authority"]?.contains("authorities") == true, "\(child.facts)")
            #expect(child["system"]?.contains("unknownAuthority") == true, "\(child.facts)")
            #expect(child["development"] == "413", "\(child.facts)")
            #expect(child["pin"]?.contains("wrongPin") == true, "\(child.facts)")
        }
    }
#endif
