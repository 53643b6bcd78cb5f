#if DEBUG
    import Synchronization

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Reports likely mistakes with credentials, in debug builds.
    enum CredentialReports {
        private static let reportedTypes = Mutex<Set<ObjectIdentifier>>([])

        /// Reports a client whose credentials go nowhere, because it has no origin to send them to.
        static func check(_ headers: Headers, plain: Headers, _ rule: OriginRule) {
            guard plain.count < headers.count, !rule.hasOrigins, rule.problem == nil else { return }
            RequestDiagnostics.report(
                "a client has \(names(headers, plain)) among its headers, but no base URL and no trusted origins: it is never "
                    + "sent. Name the origin of the server in trustedOrigins.")
        }

        /// Reports a request type, once, whose own headers carry credentials to an origin that its client does not trust.
        ///
        /// They are sent, because the request declares them. A base class may not have meant all endpoints of its subclasses.
        static func check(_ headers: Headers, of type: Any.Type, to url: URL, _ rule: OriginRule) {
            guard rule.hasOrigins, !headers.isEmpty, !rule.allowsCredentials(for: url) else { return }
            let plain = headers.withoutCredentials
            guard plain.count < headers.count, reportedTypes.withLock({ $0.insert(ObjectIdentifier(type)).inserted })
            else { return }
            RequestDiagnostics.report(
                "\(type).headers sends \(names(headers, plain)) to \(Redaction.standard.redact(url)), an origin that its client "
                    + "does not trust. If that is meant, put it into the headers of the endpoint; else into those of the client."
            )
        }

        private static func names(_ headers: Headers, _ plain: Headers) -> String {
            headers.map(\.name).filter { !plain.contains($0) }.joined(separator: ", ")
        }
    }
#endif
