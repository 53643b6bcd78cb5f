#if canImport(Darwin)
    /// The differences on Apple platforms.
    enum SessionPlatform {
        static let isLinux = false

        /// The longest head of a request in bytes. `URLSession` documents no limit.
        static let longestHead: Int? = nil

        static let capabilities = TransportCapabilities.sessionOnApple

        static func makeSession(
            _ configuration: URLSessionTransport.Configuration, _ rules: ServerTrust.Rules, delegate: SessionDelegate
        ) -> URLSession {
            let settings = URLSessionConfiguration.withoutStorage
            settings.requestCachePolicy = .reloadIgnoringLocalCacheData
            settings.timeoutIntervalForRequest = 10 * 365 * 86_400
            settings.timeoutIntervalForResource = 10 * 365 * 86_400
            if let limit = configuration.limitPerHost ?? configuration.limit {
                settings.httpMaximumConnectionsPerHost = max(limit, 1)
            }
            settings.connectionProxyDictionary = configuration.proxy.dictionary
            settings.tlsMinimumSupportedProtocolVersion = rules.minimumTLS == .v1_3 ? .TLSv13 : .TLSv12
            return URLSession(configuration: settings, delegate: delegate, delegateQueue: nil)
        }

        static func handle(
            _ challenge: URLAuthenticationChallenge, of transfer: SessionTransfer?,
            _ completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            // Without a transfer, the rules of trust are unknown.
            guard let transfer else { return completionHandler(.cancelAuthenticationChallenge, nil) }
            switch transfer.trust.disposition(for: challenge) {
            case .standard: completionHandler(.performDefaultHandling, nil)
            case .credential(let credential): completionHandler(.useCredential, credential)
            case .nothing: completionHandler(.useCredential, nil)
            case .unanswered: completionHandler(.rejectProtectionSpace, nil)
            case .refuse(let failure, let presented, let text):
                transfer.fail(failure, presented: presented, saying: text)
                completionHandler(.cancelAuthenticationChallenge, nil)
            }
        }
    }

    extension SessionRefusal {
        static let current = onApple
    }

    extension Proxy {
        /// The proxy for a session; nil for the settings of the system.
        fileprivate var dictionary: [AnyHashable: Any]? {
            switch way {
            case .environment: return nil
            case .direct: return [:]
            case .http(let host, let port, let user, let password, _):
                var settings: [AnyHashable: Any] = [
                    "HTTPEnable": 1, "HTTPProxy": host, "HTTPPort": port,
                    "HTTPSEnable": 1, "HTTPSProxy": host, "HTTPSPort": port,
                ]
                if let user { settings[kCFProxyUsernameKey as String] = user }
                if let password { settings[kCFProxyPasswordKey as String] = password }
                return settings
            case .socks5(let host, let port, let user, let password, _):
                var settings: [AnyHashable: Any] = [
                    "SOCKSEnable": 1, kCFStreamPropertySOCKSProxyHost as String: host,
                    kCFStreamPropertySOCKSProxyPort as String: port,
                    kCFStreamPropertySOCKSVersion as String: kCFStreamSocketSOCKSVersion5 as String,
                ]
                if let user { settings[kCFStreamPropertySOCKSUser as String] = user }
                if let password { settings[kCFStreamPropertySOCKSPassword as String] = password }
                return settings
            }
        }
    }

    extension SessionDelegate {
        @objc(URLSession:task:didReceiveInformationalResponse:)
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse
        ) {
            if let head = response.head { transfer(of: task)?.received(head) }
        }

        @objc(URLSession:task:didFinishCollectingMetrics:)
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
        ) {
            guard let measured = metrics.transactionMetrics.last.map({ AttemptMetrics($0) }) else { return }
            transfer(of: task)?.measured(measured)
        }
    }
#endif
