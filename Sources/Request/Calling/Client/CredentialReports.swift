#if DEBUG
    import Synchronization

    /// Likely mistakes with credentials, which debug builds report.
    enum CredentialReports {
        private static let reportedTypes = Mutex<Set<ObjectIdentifier>>([])

        /// Reports a client whose credentials are never sent.
        static func report(_ headers: Headers, of rule: OriginRule) {
            if let mistake = mistake(in: headers, of: rule) { RequestDiagnostics.report(mistake) }
        }

        /// Reports a request type, once, whose own headers carry credentials to an origin that its client does not
        /// trust.
        static func report(_ headers: Headers, of type: Any.Type, to url: URL, _ rule: OriginRule) {
            guard let mistake = mistake(in: headers, of: type, to: url, rule),
                reportedTypes.withLock({ $0.insert(ObjectIdentifier(type)).inserted })
            else { return }
            RequestDiagnostics.report(mistake)
        }

        /// The report on a client that has credentials and no origin to send them to; nil for all others.
        static func mistake(in headers: Headers, of rule: OriginRule) -> String? {
            guard !rule.hasOrigins, rule.problem == nil, let names = credentials(in: headers) else { return nil }
            return
                "a client has \(names) among its headers, but no base URL and no trusted origins, so these credentials "
                + "are never sent. Name the origin of the server in trustedOrigins."
        }

        /// The report on a request whose own headers carry credentials to an origin that its client does not trust.
        /// They are sent, because the request declares them. But a base class may not have meant the endpoints of all
        /// its subclasses.
        static func mistake(in headers: Headers, of type: Any.Type, to url: URL, _ rule: OriginRule) -> String? {
            guard rule.hasOrigins, !rule.allowsCredentials(for: url), let names = credentials(in: headers) else {
                return nil
            }
            return
                "\(type).headers sends \(names) to \(Redaction.standard.redact(url)), an origin that its client does "
                + "not trust. If intended, put them into the headers of the endpoint; else into those of the client."
        }

        private static func credentials(in headers: Headers) -> String? {
            let names = headers.map(\.name).filter(Redaction.standard.hides(header:))
            return names.isEmpty ? nil : names.joined(separator: ", ")
        }
    }
#endif
