#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
}
