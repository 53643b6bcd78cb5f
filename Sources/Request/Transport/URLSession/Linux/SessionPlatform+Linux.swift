#if os(Linux) && URLSessionOnLinux
    import Foundation
    import FoundationNetworking

    /// What is different on Linux, where `URLSession` is a layer over libcurl.
    enum SessionPlatform {
        static let isLinux = true

        /// The longest head of a request in bytes: that of libcurl, which carries the requests.
        static let longestHead: Int? = (1 << 20) - (8 << 10)

        static let capabilities = TransportCapabilities.sessionOnLinux

        static func makeSession(
            _ configuration: URLSessionTransport.Configuration, _ rules: ServerTrust.Rules, delegate: SessionDelegate
        ) -> URLSession {
            let settings = URLSessionConfiguration.ephemeral
            settings.httpCookieStorage = nil
            settings.httpCookieAcceptPolicy = .never
            settings.httpShouldSetCookies = false
            settings.urlCache = nil
            settings.urlCredentialStorage = nil
            // Who begins when is said by limits of ours, in the order in which they come.
            let limit = min(configuration.limit ?? 1000, configuration.limitPerHost ?? 1000)
            settings.httpMaximumConnectionsPerHost = max(limit, 1)
            return URLSession(configuration: settings, delegate: delegate, delegateQueue: SessionCalls())
        }

        static func upload(
            of request: HTTPRequest, _ configuration: URLSessionTransport.Configuration
        ) throws -> (any SessionUpload)? {
            try SpooledUpload(request, limit: configuration.spool)
        }

        /// After a 401, all of which has been told by now, the session waits for credentials, for ever.
        static func answer(
            _ challenge: URLAuthenticationChallenge, of transfer: SessionTransfer?,
            _ completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            transfer?.settle(.success)
            // Giving up cancels the task, which waits for the session, which waits here.
            nonisolated(unsafe) let answer = completionHandler
            SessionCore.control.async { answer(.cancelAuthenticationChallenge, nil) }
        }
    }

    /// The system alone is trusted: all other rules were refused.
    final class SessionTrust: Sendable {
        let rules: ServerTrust.Rules

        init(_ rules: ServerTrust.Rules) throws(BadTrust) {
            self.rules = rules
        }
    }

    extension SessionRefusal {
        static let current = SessionRefusal(
            // After a 417, libcurl sends the request once more, and not well.
            reserved: ["expect"], capitalized: ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT"], removesDots: true,
            isProxyInEnvironment: ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains {
                ProcessInfo.processInfo.environment[$0]?.isEmpty == false
            }, survivesTrailers: false)
    }
#endif
