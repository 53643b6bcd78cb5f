#if os(Linux)
    import Glibc
    import TangoCCurl

    extension CurlTransfer {
        /// The error for a result of libcurl.
        func error(for result: CURLcode) -> RequestError {
            if let failure { return failure }
            let message = handle?.message ?? ""
            let detail = message.isEmpty ? String(cString: curl_easy_strerror(result)) : message
            var system = 0
            if let handle { _ = tango_curl_get_long(handle.easy, CURLINFO_OS_ERRNO, &system) }
            let cause = CurlCause(
                result: result, message: detail,
                systemError: handle?.socketError ?? 0 != 0 ? handle?.socketError ?? 0 : Int32(system),
                hasHead: hasHead, isConnected: isConnected, isEncoded: hasHead && isDecodedByLibrary,
                lacksBodyOnly: request.isIdempotent && !request.body.isReplayable,
                isRefused: handle?.isRefused ?? false,
                isThisDevice: address.isThisDevice, hostOfProxy: loop.configuration.proxy.host)
            let text = "libcurl \(result): \(cause.detail)"
            if result == CURLE_PROXY, let cause = SOCKSCause(number: handle?.proxyError ?? 0) {
                return error(cause.code, cause.detail(for: address, message: text))
            }
            if cause.isAboutTunnel, let refusal = handle?.tunnelRefusal {
                return error(refusal.code, refusal.detail(for: address, message: text))
            }
            guard let failed = trustFailure(for: result, message: detail) else {
                let isAboutHead = result == CURLE_OUT_OF_MEMORY && cause.code == .badResponse
                return error(
                    cause.code,
                    isAboutHead
                        ? "the head of the response is too long: shorten the headers on the server (\(text))"
                        : cause.code.detail(for: address, options.timeouts, message: text))
            }
            var error = RequestError(
                failed, host: address.host, rules: trust?.rules ?? .system, phase: phase,
                presented: failed == .wrongPin ? handle?.presentedPin : nil, saying: text)
            error.request = request
            return error
        }

        /// Returns the rule of trust that a result is about, if any.
        private func trustFailure(for result: CURLcode, message: String) -> TrustFailure? {
            guard isSecure else { return nil }
            var verdict = 0
            if let handle { _ = tango_curl_get_long(handle.easy, CURLINFO_SSL_VERIFYRESULT, &verdict) }
            return CurlTrustCause(
                result: result, verdict: verdict, message: message, hasHead: hasHead,
                showsCertificate: trust?.tls.client != nil
            ).failure
        }
    }

    /// The decision which error code a failure of libcurl gets: a pure function.
    struct CurlCause {
        let result: CURLcode
        let message: String
        let systemError: Int32
        let hasHead: Bool
        let isConnected: Bool
        /// A Boolean value that indicates whether libcurl decodes the body of the response.
        var isEncoded = false
        /// A Boolean value that indicates whether only its body prevents the request from being sent again.
        let lacksBodyOnly: Bool
        /// A Boolean value that indicates whether the server has reported that it did not process the request.
        var isRefused = false
        /// A Boolean value that indicates whether the server is this device, which needs no network.
        var isThisDevice = false
        /// The host of the proxy, unless the environment names it.
        var hostOfProxy: String?

        var code: RequestError.Code {
            if isRefused, !hasHead { return .notProcessed }
            return switch result {
            // libcurl also reports this for HTTP/3 through the proxy of the environment.
            case CURLE_URL_MALFORMAT: message.contains("HTTP/3") ? .unsupported : .badURL
            // libcurl also reports this for a version of HTTP or a status that it does not know.
            case CURLE_UNSUPPORTED_PROTOCOL: isConnected ? .badResponse : .unsupported
            case CURLE_NOT_BUILT_IN, CURLE_UNKNOWN_OPTION: .unsupported
            case CURLE_COULDNT_RESOLVE_HOST: isAboutHostOfProxy ? .proxyFailed : .hostNotFound
            case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: .proxyFailed
            case CURLE_COULDNT_CONNECT where isAboutURLOfProxy: .proxyFailed
            case CURLE_COULDNT_CONNECT: isExhausted ? .outOfResources : hasNetwork ? .cannotConnect : .offline
            // libcurl buffers decoded bytes for which the reader has no room, up to a limit.
            case CURLE_OUT_OF_MEMORY: isAboutHead ? .badResponse : isEncoded ? .decompressionLimit : .outOfResources
            case CURLE_FAILED_INIT: .outOfResources
            case CURLE_OPERATION_TIMEDOUT: .connectTimedOut
            case CURLE_WEIRD_SERVER_REPLY, CURLE_TOO_LARGE: .badResponse
            case CURLE_PARTIAL_FILE: .truncated
            case CURLE_GOT_NOTHING, CURLE_SEND_ERROR: .connectionLost
            case CURLE_RECV_ERROR: isAboutProxy ? .proxyFailed : isAboutConnection ? .connectionLost : .badResponse
            case CURLE_HTTP2, CURLE_HTTP2_STREAM: .connectionLost
            case CURLE_BAD_CONTENT_ENCODING: .badEncoding
            // libcurl also reports bytes after the end of an encoded body as bytes that could not be written.
            case CURLE_WRITE_ERROR where isEncoded: .badEncoding
            // A line after the last chunk is no field.
            case CURLE_BAD_FUNCTION_ARGUMENT where hasHead: .badResponse
            // libcurl tried to send the body again on a new connection. A caller can do that with a new stream.
            case CURLE_SEND_FAIL_REWIND: lacksBodyOnly ? .bodyNotReplayable : .connectionLost
            case CURLE_READ_ERROR: .badBody
            // The connection ended within the handshake, without a reason from TLS.
            case CURLE_SSL_CONNECT_ERROR where isAboutConnection: .connectionLost
            case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE: .badTrust
            case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CLIENTCERT: .tlsFailed
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH: .untrusted
            default: .transportFailed
            }
        }

        /// The message, without the URL of a proxy. libcurl quotes the one that the environment names, with its password.
        var detail: String {
            guard isAboutURLOfProxy else { return message }
            return message.prefix { $0 != "'" }.split(separator: " ").prefix(3).joined(separator: " ")
        }

        /// A Boolean value that indicates whether libcurl cannot use the URL of a proxy.
        private var isAboutURLOfProxy: Bool { message.hasPrefix("Unsupported proxy") }

        private var isExhausted: Bool {
            [EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRNOTAVAIL, EAGAIN].contains(systemError)
        }

        /// A Boolean value that indicates whether the kernel had a network and a route for the connection.
        private var hasNetwork: Bool { isThisDevice || systemError != ENETUNREACH && systemError != ENETDOWN }

        /// libcurl reports a header line that is too long as a lack of memory.
        private var isAboutHead: Bool { isConnected && !hasHead || message.lowercased().contains("header") }

        /// libcurl reports the name of a SOCKS proxy like that of a server.
        private var isAboutHostOfProxy: Bool {
            guard let hostOfProxy else { return false }
            return message.hasSuffix(": \(hostOfProxy)")
        }

        /// A Boolean value that indicates whether a proxy has not opened a tunnel. The status of its response says why,
        /// if there is one.
        var isAboutTunnel: Bool {
            switch result {
            case CURLE_RECV_ERROR, CURLE_COULDNT_CONNECT, CURLE_SEND_ERROR, CURLE_GOT_NOTHING:
                !isConnected && isAboutProxy
            default: false
            }
        }

        private var isAboutProxy: Bool { message.contains("CONNECT") || message.contains("proxy") }

        /// A Boolean value that indicates whether receiving failed, in contrast to parsing.
        private var isAboutConnection: Bool {
            ["Recv failure", "Connection", "SSL_read", "SSL_ERROR_SYSCALL", "unexpected eof", "closed"]
                .contains { message.contains($0) }
        }
    }
#endif
