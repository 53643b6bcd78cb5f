/// The failures in the messages of libcurl, OpenSSL and GnuTLS: pure functions. On Linux, `URLSession` passes on the
/// same messages.
extension TrustFailure {
    /// Returns the failure of a certificate, or nil if the message names none.
    package static func ofCertificate(_ message: String) -> TrustFailure? {
        let message = message.lowercased()
        func says(_ parts: String...) -> Bool { parts.contains { message.contains($0) } }
        if says("host name", "hostname", "subject name", "does not match") { return .wrongHost }
        if says("expired", "expiration") { return .expired }
        if says("not yet", "not activated", "activation") { return .notYetValid }
        if says("revoked") { return .revoked }
        // The authority of a chain that ends in such a certificate is unknown.
        if says("self-signed certificate in", "self signed certificate in") { return .unknownAuthority }
        if says("self-signed", "self signed") { return .selfSigned }
        if says("unable to get", "unable to verify", "issuer", "certificate verification failed") {
            return .unknownAuthority
        }
        return nil
    }

    /// Returns the failure of a handshake that is not caused by a certificate, or nil if the message names none.
    package static func ofHandshake(_ message: String) -> TrustFailure? {
        if isAboutOtherProtocol(message) { return .notTLS }
        let message = message.lowercased()
        let isAboutVersion = ["protocol version", "unsupported protocol", "no protocols available"].contains {
            message.contains($0)
        }
        return isAboutVersion ? .tlsVersion : nil
    }
}
