extension ServerTrust {
    /// The rules for one host: a plain value that a transport translates for its library.
    public struct Rules: Hashable, Sendable {
        /// The keys of which the server must have one. If empty, any key is accepted.
        public internal(set) var pins: Set<PublicKeyPin> = []
        /// The pins whose violation is reported and nothing else.
        package var reporters: [PinReporter] = []
        /// The certificates of trusted authorities; empty for those of the system alone.
        public internal(set) var authorities: [CertificateSource] = []
        /// A Boolean value that indicates whether the authorities of the system are trusted, alone or beside ``authorities``.
        public internal(set) var trustsSystem = true
        /// The certificate for servers that request one; nil is none.
        package var clientCertificate: ClientCertificate?
        /// The oldest version of TLS that is offered.
        public internal(set) var minimumTLS = TLSVersion.v1_2
        /// The name that the certificate must be for; nil is the host of the URL.
        public internal(set) var certificateName: String?
        /// A Boolean value that indicates whether any certificate is accepted, whatever its issuer, host and validity.
        public internal(set) var isDevelopment = false

        @inline(never)
        init(
            authorities: [CertificateSource] = [], trustsSystem: Bool = true,
            clientCertificate: ClientCertificate? = nil, minimumTLS: TLSVersion = .v1_2, certificateName: String? = nil,
            isDevelopment: Bool = false
        ) {
            self.authorities = authorities
            self.trustsSystem = trustsSystem
            self.clientCertificate = clientCertificate
            self.minimumTLS = minimumTLS
            self.certificateName = certificateName
            self.isDevelopment = isDevelopment
        }

        /// The rules of the system, without additions.
        public static let system = Rules()

        mutating func add(_ other: Rules) {
            pins.formUnion(other.pins)
            reporters += other.reporters.filter { !reporters.contains($0) }
            authorities += other.authorities.filter { !authorities.contains($0) }
            trustsSystem = trustsSystem && other.trustsSystem
            clientCertificate = other.clientCertificate ?? clientCertificate
            minimumTLS = max(minimumTLS, other.minimumTLS)
            certificateName = other.certificateName ?? certificateName
            isDevelopment = isDevelopment || other.isDevelopment
        }

        /// The features that a transport needs to enforce the rules.
        public var needs: TransportCapabilities {
            var needs: TransportCapabilities = []
            if !pins.isEmpty || !reporters.isEmpty { needs.insert(.pins) }
            if !authorities.isEmpty { needs.insert(.authorities) }
            if clientCertificate != nil { needs.insert(.clientCertificates) }
            if minimumTLS > .v1_2 { needs.insert(.minimumTLS) }
            if certificateName != nil { needs.insert(.certificateNames) }
            if isDevelopment { needs.insert(.developmentHosts) }
            return needs
        }
    }
}

extension ServerTrust.Rules {
    /// Returns the rule that a server's certificate breaks, or nil if the certificate is accepted.
    ///
    /// For transports whose library provides the certificates. The system must have verified the chain by these rules:
    /// with ``authorities``, and for ``certificateName``.
    ///
    /// - Parameters:
    ///   - chain: The certificates of the server as DER, its own first.
    ///   - system: The failure that the system has found; nil if it trusts the chain.
    public func failure(of chain: [Data], system: TrustFailure?) -> TrustFailure? {
        if let system, !isDevelopment { return system }
        guard !pins.isEmpty else { return nil }
        guard let certificate = chain.first, let pin = PublicKeyPin(der: certificate) else { return .badCertificate }
        return pins.contains(pin) ? nil : .wrongPin
    }

    /// Reports the key of a server to the rules that only report wrong pins. Call it once for each connection, where no lock
    /// is held.
    ///
    /// - Parameters:
    ///   - chain: The certificates of the server as DER, its own first.
    ///   - host: The host of the connection.
    public func report(_ chain: [Data], host: String) {
        report(chain.first.flatMap { PublicKeyPin(der: $0) }, host: host)
    }

    package func report(_ presented: PublicKeyPin?, host: String) {
        for reporter in reporters { reporter.check(presented, host: host) }
    }
}

extension ServerTrust {
    /// A digest that separates the cached responses of different rules, or nil for the rules of the system.
    ///
    /// A client with another certificate is another user to the server. A response that was received under weak rules
    /// must not be used under stricter rules.
    ///
    /// The digest is the same in each run of the application. A file is identified by its path.
    package func digest(for host: @autoclosure () throws -> String?) rethrows -> String? {
        guard !terms.isEmpty else { return nil }
        var rules = try rules(for: host() ?? "")
        // Reports change nothing for the request.
        rules.reporters = []
        return rules == .system ? nil : String(SHA256.hex(rules.text.utf8).prefix(32))
    }
}

extension ServerTrust.Rules {
    fileprivate var text: String {
        var lines = pins.map(\.description).sorted()
        if !authorities.isEmpty {
            lines += authorities.map(\.name).sorted()
            lines.append(trustsSystem ? "besides the system's" : "alone")
        }
        switch clientCertificate?.form {
        case .pair(let certificate, let key): lines.append("certificate \(certificate.name) \(key.name)")
        case .pkcs12(let source): lines.append("identity \(source.name)")
        case nil: break
        }
        lines.append("\(minimumTLS)")
        if let certificateName { lines.append("name \(certificateName)") }
        if isDevelopment { lines.append("development") }
        return lines.joined(separator: "\n")
    }
}

extension CertificateSource {
    fileprivate var name: String {
        switch place {
        case .file(let path): "file \(path)"
        case .memory(let data): "data \(SHA256.hex(data))"
        }
    }
}
