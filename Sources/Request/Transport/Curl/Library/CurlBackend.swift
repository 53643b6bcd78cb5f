#if os(Linux)
    import TangoCCurl

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// The library by which libcurl speaks TLS, and what can be asked of it.
    struct CurlBackend: Sendable {
        /// As libcurl names it: `OpenSSL/3.0.19`.
        let name: String

        /// OpenSSL, and what came of it: those that take certificates and keys from memory, in every form.
        var isOpenSSL: Bool {
            ["openssl", "libressl", "boringssl", "aws-lc", "quictls"].contains { name.lowercased().contains($0) }
        }

        var capabilities: TransportCapabilities {
            let all: TransportCapabilities = [.pins, .minimumTLS, .certificateNames, .developmentHosts]
            return isOpenSSL ? all.union([.authorities, .clientCertificates]) : all
        }
    }

    extension CurlLibrary {
        /// Before 7.87, OpenSSL wrote to sockets by itself, and a connection that was gone raised a signal.
        static let raisesSignals =
            problem == nil && has(CURL_VERSION_SSL) && curl_version_info(0).pointee.version_num < 0x07_57_00

        static let backend = CurlBackend(
            name: problem == nil
                ? curl_version_info(0).pointee.ssl_version.map { String(cString: $0) } ?? "nothing" : "nothing")

        /// The certificates that the system trusts, as PEM.
        static func authorities() throws(BadTrust) -> Data {
            guard let path = curl_version_info(0).pointee.cainfo.map({ String(cString: $0) }) else {
                throw BadTrust("libcurl does not say where the authorities of the system are: give all of them by name")
            }
            return try CertificateSource.file(path).read() + Data("\n".utf8)
        }
    }
#endif
