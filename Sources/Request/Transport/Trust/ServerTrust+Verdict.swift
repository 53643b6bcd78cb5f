#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ServerTrust.Rules {
    /// Whether a server's certificate passes: nil where it does, or else the rule that it has failed.
    ///
    /// For transports whose library hands over the certificates. The system must have looked at the chain by these rules:
    /// with ``authorities``, and for ``certificateName``.
    ///
    /// - Parameters:
    ///   - chain: The certificates that the server has shown, as DER, its own first.
    ///   - system: What the system has found wrong; nil where it trusts the chain.
    public func failure(of chain: [Data], system: TrustFailure?) -> TrustFailure? {
        if let system, !isDevelopment { return system }
        guard !pins.isEmpty else { return nil }
        guard let certificate = chain.first, let pin = PublicKeyPin(der: certificate) else { return .badCertificate }
        return pins.contains(pin) ? nil : .wrongPin
    }
}
