#if canImport(Darwin) || URLSessionOnLinux
    extension SessionTransfer {
        func error(_ code: RequestError.Code, _ detail: String, phase: RequestError.Phase) -> RequestError {
            RequestError(code, phase: phase, detail: detail, request: request)
        }

        func error(_ failure: TrustFailure, presented: PublicKeyPin? = nil, saying text: String) -> RequestError {
            var error = RequestError(
                failure, host: address.host, rules: trust.rules, presented: presented, saying: text)
            error.request = request
            return error
        }

        /// The error for an error of `URLSession`.
        func error(for problem: any Error) -> RequestError {
            let problem = problem as NSError
            let text = "\(problem.domain) \(problem.code): \(problem.localizedDescription)"
            let (hasHead, phase) = state.withLock { ($0.head != nil, $0.phase(hasBody: hasBodyBytes)) }
            if !hasHead, address.isSecure,
                let rule = SessionTrustCause(number: problem.code, message: problem.localizedDescription).failureOfTask
            {
                return error(rule, saying: text)
            }
            let cause = SessionCause(number: problem.code, message: problem.localizedDescription, hasHead: hasHead)
            let detail = cause.code == .offline ? options.networks.offlineDetail.map { "\($0) (\(text))" } : nil
            var failure = error(
                cause.code, detail ?? cause.code.detail(for: address, options.timeouts, message: text),
                phase: cause.isBeforeConnection ? .connect : phase == .connect ? .wait : phase)
            failure.underlying = problem
            return failure
        }
    }

    /// The decision which error code an error of `URLSession` gets: a pure function.
    ///
    /// On Linux, many errors have the code -1 and differ only in the message of libcurl.
    package struct SessionCause {
        let number: Int
        let message: String
        let hasHead: Bool

        package init(number: Int, message: String, hasHead: Bool) {
            self.number = number
            self.message = message
            self.hasHead = hasHead
        }

        private func says(_ words: String...) -> Bool { message.mentions(words) }

        var isBeforeConnection: Bool {
            [
                .offline, .hostNotFound, .cannotConnect, .connectTimedOut, .tlsFailed, .untrusted, .proxyFailed,
                .proxyAuthenticationRequired,
            ].contains(code)
        }

        package var code: RequestError.Code {
            switch number {
            // Errors of CFNetwork: the proxy refused the user and the password, or cannot be used.
            case 307, 122, 124: .proxyAuthenticationRequired
            case 100, 101, 113, 120, 121, 123: .proxyFailed
            case 306, 310, 311: says("407") ? .proxyAuthenticationRequired : .proxyFailed
            default: codeOfURLError
            }
        }

        private var codeOfURLError: RequestError.Code {
            switch URLError.Code(rawValue: number) {
            case .badURL: .badURL
            case .unsupportedURL: says("http") ? .badResponse : .unsupported
            case .cannotFindHost, .dnsLookupFailed: says("proxy") ? .proxyFailed : .hostNotFound
            case .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed, .callIsActive: .offline
            case .cannotConnectToHost: .cannotConnect
            case .networkConnectionLost: .connectionLost
            case .badServerResponse: says("empty reply") ? .connectionLost : .badResponse
            case .cannotParseResponse: .badResponse
            case .cannotDecodeContentData, .cannotDecodeRawData: .badEncoding
            case .dataLengthExceedsMaximum: .responseTooLarge
            case .requestBodyStreamExhausted: .badBody
            case .serverCertificateHasBadDate, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
                .serverCertificateNotYetValid:
                .untrusted
            case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired,
                .appTransportSecurityRequiresSecureConnection:
                says("certificate") ? .untrusted : .tlsFailed
            case .timedOut: hasHead ? .idleTimedOut : .connectTimedOut
            default: byMessage
            }
        }

        private var byMessage: RequestError.Code {
            if says("certificate", "peer verification") { return .untrusted }
            if says("ssl", "tls") { return .tlsFailed }
            if says("could not resolve") { return says("proxy") ? .proxyFailed : .hostNotFound }
            if says("failed to connect", "couldn't connect") { return .cannotConnect }
            if says("unencoding", "content encoding", "content-encoding") { return .badEncoding }
            if says("bytes remaining", "outstanding read data", "transfer closed", "chunk") { return .truncated }
            if says("empty reply", "recv failure", "send failure", "connection reset", "broken pipe", "was lost") {
                return .connectionLost
            }
            if says("out of memory") { return hasHead ? .outOfResources : .badResponse }
            if says("header", "weird server reply", "http/0.9", "http version", "status line") { return .badResponse }
            return .transportFailed
        }
    }
#endif
