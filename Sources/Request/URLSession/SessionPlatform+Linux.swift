#if canImport(FoundationNetworking)
    import Foundation
    import FoundationNetworking

    /// What is different on Linux, where `URLSession` is a layer over libcurl.
    enum SessionPlatform {
        static let isLinux = true

        static let capabilities: TransportCapabilities = [
            .tls, .http2, .responseBackPressure, .requestBackPressure, .informationalResponses,
        ]

        static func makeSession(
            _ configuration: URLSessionTransport.Configuration, delegate: SessionDelegate
        ) -> URLSession {
            let settings = URLSessionConfiguration.ephemeral
            settings.httpCookieStorage = nil
            settings.httpCookieAcceptPolicy = .never
            settings.httpShouldSetCookies = false
            settings.urlCache = nil
            settings.urlCredentialStorage = nil
            // How many there are is said by limits of ours, in the order in which they come.
            settings.httpMaximumConnectionsPerHost = 1000
            return URLSession(configuration: settings, delegate: delegate, delegateQueue: SessionQueue())
        }

        static func upload(of request: HTTPRequest) throws -> (any SessionUpload)? {
            try BlockingUpload(request)
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

    extension SessionRefusal {
        static let current = SessionRefusal(
            capitalized: ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT"],
            isProxyInEnvironment: ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains {
                ProcessInfo.processInfo.environment[$0]?.isEmpty == false
            }, survivesTrailers: false)
    }

    /// Runs what it is given where it is given, which is in the middle of libcurl's calls: what waits there makes the server
    /// wait. A queue that calls later would have to keep all that comes meanwhile, and nobody would know how much.
    private final class SessionQueue: OperationQueue, @unchecked Sendable {
        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            block()
        }
    }
#endif
