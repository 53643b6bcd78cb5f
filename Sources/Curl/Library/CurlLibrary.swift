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
#endif
