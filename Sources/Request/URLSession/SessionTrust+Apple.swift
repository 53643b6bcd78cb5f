#if canImport(Security)
    import Foundation
    import Security

    /// Whether the server at the other end is the one that is wanted.
    enum SessionTrust {
        /// What to answer a server's certificates with: the system evaluates them, and the name of the host.
        static func answer(
            _ challenge: URLAuthenticationChallenge, for trust: ServerTrust
        ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
            switch trust.rule {
            case .system: (.performDefaultHandling, nil)
            }
        }
    }
#endif
