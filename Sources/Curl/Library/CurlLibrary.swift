#if os(Linux)
    import TangoCCurl

    /// The libcurl of this system, loaded at first use.
    enum CurlLibrary {
        /// The reason why libcurl cannot be used on this system; nil if it can.
        static let problem: String? = tango_curl_load().map { String(cString: $0) }

        /// Throws an error that names the package to install if libcurl cannot be used.
        static func require() throws {
            if let problem { throw unusable(problem) }
        }

        static func unusable(_ problem: String) -> RequestError {
            RequestError(
                .noTransport, phase: .prepare,
                detail:
                    "libcurl cannot be loaded (\(problem)): install libcurl 7.76 or later, which is the package libcurl4 on Debian "
                    + "and Ubuntu, libcurl on Fedora, Red Hat and Amazon Linux, or give the client another transport")
        }

        /// The version, such as `7.88.1`, or nil without a library.
        static let version: String? = problem == nil ? String(cString: curl_version_info(0).pointee.version) : nil

        static let features: Int32 = problem == nil ? curl_version_info(0).pointee.features : 0

        static func has(_ feature: Int32) -> Bool {
            features & feature != 0
        }

        /// Before 7.88, libcurl does not fall back from HTTP/3 to another version.
        static let hasHTTP3 = hasHTTP3(
            features: features, version: problem == nil ? curl_version_info(0).pointee.version_num : 0)

        static func hasHTTP3(features: Int32, version: UInt32) -> Bool {
            features & CURL_VERSION_HTTP3 != 0 && version >= 0x07_58_00
        }

        /// From 7.80 on, libcurl calls back before it sends a request.
        static let announcesRequests = problem == nil && curl_version_info(0).pointee.version_num >= 0x07_50_00

        /// The longest head of a request in bytes. libcurl allows a megabyte and adds some fields of its own.
        static let longestHead = (1 << 20) - (8 << 10)
        /// The longest head in HTTP/2. Above it, the HTTP/2 library of libcurl closes the connection.
        static let longestHeadInHTTP2 = 60_000

        /// Before 8.5, libcurl is unreliable for long bodies in HTTP/2. It may lose a response that arrives before the
        /// whole body has been sent. While the server blocks sending, it asks to write in a busy loop.
        static let losesEarlyResponses = problem == nil && curl_version_info(0).pointee.version_num < 0x08_05_00

        /// From 7.87 on, libcurl does not wait for the thread of a cancelled look-up.
        static let leavesLookups = problem == nil && curl_version_info(0).pointee.version_num >= 0x07_57_00
    }

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
