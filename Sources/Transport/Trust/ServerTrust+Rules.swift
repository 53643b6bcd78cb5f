extension ServerTrust {
    /// The rules for one host: a plain value that a transport translates for its library.
    public struct Rules: Hashable, Sendable {
        /// The authorities that are trusted instead of the system's.
        public struct Authorities: Hashable, Sendable {
            /// The certificates of the authorities.
            public var sources: [CertificateSource]
            /// A Boolean value that indicates whether the authorities of the system are trusted as well.
            public var besidesSystem: Bool
        }

        /// The keys of which the server must have one. If empty, any key is accepted.
        public internal(set) var pins: Set<PublicKeyPin> = []
        /// The pins whose violation is reported and nothing else.
        package var reporters: [PinReporter] = []
        /// The trusted authorities; nil for those of the system.
        public internal(set) var authorities: Authorities?
        /// The certificate for servers that request one; nil is none.
        package var clientCertificate: ClientCertificate?
        /// The oldest version of TLS that is offered.
        public internal(set) var minimumTLS = TLSVersion.v1_2
        /// The name that the certificate must be for; nil is the host of the URL.
        public internal(set) var certificateName: String?
        /// A Boolean value that indicates whether any certificate is accepted, whatever its issuer, host and validity.
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

        /// The rules of the system, without additions.
        public static let system = Rules()

        mutating func add(_ other: Rules) {
            pins.formUnion(other.pins)
            reporters += other.reporters.filter { !reporters.contains($0) }
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

        /// The features that a transport needs to enforce the rules.
        public var needs: TransportCapabilities {
            var needs: TransportCapabilities = []
            if !pins.isEmpty || !reporters.isEmpty { needs.insert(.pins) }
            if authorities != nil { needs.insert(.authorities) }
            if clientCertificate != nil { needs.insert(.clientCertificates) }
            if minimumTLS > .v1_2 { needs.insert(.minimumTLS) }
            if certificateName != nil { needs.insert(.certificateNames) }
            if isDevelopment { needs.insert(.developmentHosts) }
            return needs
        }
    }
}
