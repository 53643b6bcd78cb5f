#if os(Linux)
    import TangoCCurl

    /// The choice of the HTTP version for one request: a pure function.
    struct CurlVersionChoice: Equatable, Sendable {
        var http3 = CurlConfiguration.HTTP3.off
        /// A Boolean value that indicates whether the request may use HTTP/2.
        var offersHTTP2 = true
        var isSecure = true
        /// A Boolean value that indicates whether a proxy or a Unix socket is configured. libcurl has no HTTP/3 through
        /// either.
        var hasDetour = false
        /// A Boolean value that indicates whether the request has rules of trust of its own. libcurl does not apply all
        /// of them, such as pins, in every HTTP/3 backend.
        var hasTrustRules = false
        /// A Boolean value that indicates whether the loaded libcurl supports HTTP/3.
        var isSupported = CurlLibrary.hasHTTP3

        /// The value of `CURLOPT_HTTP_VERSION`.
        var version: Int32 {
            if http3 == .required { return CURL_HTTP_VERSION_3ONLY }
            guard offersHTTP2 else { return CURL_HTTP_VERSION_1_1 }
            return http3 == .preferred && obstacle == nil ? CURL_HTTP_VERSION_3 : CURL_HTTP_VERSION_2TLS
        }

        /// The problem of a request that requires HTTP/3 and cannot have it, then what to do.
        var problem: String? { http3 == .required ? obstacle : nil }

        private var obstacle: String? {
            if !isSupported {
                return "the installed libcurl does not support HTTP/3: install one that does, or set http3 to preferred"
            }
            if !isSecure { return "HTTP/3 requires TLS: use an https URL, or set http3 to preferred" }
            if hasDetour {
                return "HTTP/3 does not pass a proxy or a Unix socket: remove it, or set http3 to preferred"
            }
            if hasTrustRules {
                return "HTTP/3 supports only the system's rules of trust: remove others, or set http3 to preferred"
            }
            return nil
        }
    }
#endif
