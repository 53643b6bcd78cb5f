#if os(Linux)
    import TangoCCurl

    /// The TLS library of libcurl and its features.
    struct CurlBackend: Sendable {
        /// The name that libcurl reports, such as `OpenSSL/3.0.19`.
        let name: String
        /// OpenSSL or a library derived from it. These accept certificates and keys in memory, in every format.
        let isOpenSSL: Bool

        init(name: String) {
            self.name = name
            let lower = name.lowercased()
            isOpenSSL = ["openssl", "libressl", "boringssl", "aws-lc", "quictls"].contains { lower.contains($0) }
        }

        var capabilities: TransportCapabilities {
            let all: TransportCapabilities = [.pins, .minimumTLS, .certificateNames, .developmentHosts]
            return isOpenSSL ? all.union([.authorities, .clientCertificates]) : all
        }
    }

    extension CurlLibrary {
        /// Before libcurl 7.87, OpenSSL wrote to sockets itself, and writing to a closed connection raised a signal.
        static let raisesSignals =
            problem == nil && has(CURL_VERSION_SSL) && curl_version_info(0).pointee.version_num < 0x07_57_00

        static let backend = CurlBackend(
            name: problem == nil
                ? curl_version_info(0).pointee.ssl_version.map { String(cString: $0) } ?? "nothing" : "nothing")

        /// The certificates that the system trusts, as PEM.
        static func authorities() throws(BadTrust) -> Data {
            guard let path = curl_version_info(0).pointee.cainfo.map({ String(cString: $0) }) else {
                throw BadTrust(
                    "libcurl does not report the authorities of the system: pass all authorities, without `besidesSystem`"
                )
            }
            return try CertificateSource.file(path).read() + Data("\n".utf8)
        }
    }
#endif
