extension ServerTrust {
    /// What holds for one host: a plain value that a transport maps to what its library can do.
    public struct Rules: Hashable, Sendable {
        /// Whose certificates are taken, where they are not those of the system.
        public struct Authorities: Hashable, Sendable {
            /// Where their certificates are.
            public var sources: [CertificateSource]
            /// Whether those of the system count as well.
            public var besidesSystem: Bool
        }

        /// The keys of which the server must have one; empty is any.
        public internal(set) var pins: Set<PublicKeyPin> = []
        /// Nil is those of the system.
        public internal(set) var authorities: Authorities?
        /// The certificate for servers that request one; nil is none.
        var clientCertificate: ClientCertificate?
        /// The oldest version of TLS that is offered.
        public internal(set) var minimumTLS = TLSVersion.v1_2
        /// The name that the certificate must be for; nil is the host of the URL.
        public internal(set) var certificateName: String?
        /// Whether the certificate is taken whoever has signed it, and for whom, and when.
        public internal(set) var isDevelopment = false

        init(
            authorities: Authorities? = nil, clientCertificate: ClientCertificate? = nil,
            minimumTLS: TLSVersion = .v1_2, certificateName: String? = nil, isDevelopment: Bool = false
        ) {
            self.authorities = authorities
            self.clientCertificate = clientCertificate
            self.minimumTLS = minimumTLS
            self.certificateName = certificateName
            self.isDevelopment = isDevelopment
        }

        /// Those of the system, and nothing else.
        public static let system = Rules()

        mutating func add(_ other: Rules) {
            pins.formUnion(other.pins)
            if let more = other.authorities {
                let sources = authorities?.sources ?? []
                authorities = Authorities(
                    sources: sources + more.sources.filter { !sources.contains($0) },
                    besidesSystem: more.besidesSystem && authorities?.besidesSystem ?? true)
            }
            clientCertificate = other.clientCertificate ?? clientCertificate
            minimumTLS = max(minimumTLS, other.minimumTLS)
            certificateName = other.certificateName ?? certificateName
            isDevelopment = isDevelopment || other.isDevelopment
        }

        /// What a transport must be able to do to keep them.
        public var needs: TransportCapabilities {
            var needs: TransportCapabilities = []
            if !pins.isEmpty { needs.insert(.pins) }
            if authorities != nil { needs.insert(.authorities) }
            if clientCertificate != nil { needs.insert(.clientCertificates) }
            if minimumTLS > .v1_2 { needs.insert(.minimumTLS) }
            if certificateName != nil { needs.insert(.certificateNames) }
            if isDevelopment { needs.insert(.developmentHosts) }
            return needs
        }
    }
}
