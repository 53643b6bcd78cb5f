/// The SHA-256 of a certificate's public key with its algorithm (`SubjectPublicKeyInfo`).
public struct PublicKeyPin: Hashable, Sendable, CustomStringConvertible {
    private let digest: [UInt8]

    /// Creates a pin from base64, with or without the prefix `sha256/`. Returns nil if the text is not a pin.
    public init?(_ text: String) {
        var base64 = text[...]
        // curl writes two slashes, and base64 itself may begin with a slash.
        for prefix in ["sha256//", "sha256/"] where text.hasPrefix(prefix) && text.utf8.count == prefix.utf8.count + 44
        {
            base64 = base64.dropFirst(prefix.count)
            break
        }
        guard base64.utf8.count == 44, let bytes = Data(base64Encoded: String(base64)), bytes.count == 32 else {
            return nil
        }
        digest = Array(bytes)
    }

    /// Creates the pin of a certificate; in a PEM text, of the first. Returns nil if there is no certificate.
    public init?(certificate: Data) {
        guard let first = try? CertificateSource.data(certificate).certificates().first else { return nil }
        self.init(der: first)
    }

    package init?(der: Data) {
        guard let key = DER.publicKey(ofCertificate: der) else { return nil }
        digest = SHA256.digest(key)
    }

    package var base64: String { Data(digest).base64EncodedString() }

    /// The pin as text, suitable for rules and logs: `sha256/` and base64.
    public var description: String { "sha256/\(base64)" }
}
