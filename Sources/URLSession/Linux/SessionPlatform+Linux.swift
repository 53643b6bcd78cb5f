#if os(Linux) && URLSessionOnLinux
    /// The differences on Linux, where `URLSession` is a layer above libcurl.
    enum SessionPlatform {
        static let isLinux = true

        /// The longest head of a request in bytes. It is the limit of libcurl.
        static let longestHead: Int? = (1 << 20) - (8 << 10)

        static let capabilities = TransportCapabilities.sessionOnLinux

        static func makeSession(
            _ configuration: URLSessionTransport.Configuration, _ rules: ServerTrust.Rules, delegate: SessionDelegate
        ) -> URLSession {
            let settings = URLSessionConfiguration.withoutStorage
            // Limits of the transport decide which request begins next, in the order of arrival.
            let limit = min(configuration.limit ?? 1000, configuration.limitPerHost ?? 1000)
            settings.httpMaximumConnectionsPerHost = max(limit, 1)
            return URLSession(configuration: settings, delegate: delegate, delegateQueue: SessionCalls())
        }

        /// Ends the transfer after a 401, whose response is complete. Otherwise the session would wait for credentials
        /// forever.
        static func handle(
            _ challenge: URLAuthenticationChallenge, of transfer: SessionTransfer?,
            _ completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            transfer?.settle(.success)
            // Cancelling the challenge cancels the task. That waits for the session, which waits for this call.
            nonisolated(unsafe) let respond = completionHandler
            SessionCore.control.async { respond(.cancelAuthenticationChallenge, nil) }
        }
    }

    /// The rules of the system. All other rules were refused before.
    final class SessionTrust: Sendable {
        let rules: ServerTrust.Rules

        init(_ rules: ServerTrust.Rules) throws(BadTrust) {
            self.rules = rules
        }
    }

    extension SessionRefusal {
        static let current = SessionRefusal(
            // After a 417, libcurl sends the request again, incorrectly.
            reserved: ["expect"], capitalized: ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT"], removesDots: true,
            isProxyInEnvironment: ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains {
                ProcessInfo.processInfo.environment[$0]?.isEmpty == false
            }, survivesTrailers: false)
    }
#endif
