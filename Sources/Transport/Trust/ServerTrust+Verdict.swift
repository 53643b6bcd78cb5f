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
