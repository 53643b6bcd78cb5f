#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The SHA-256 of a public key, as it stands in a certificate with its kind (`SubjectPublicKeyInfo`).
public struct PublicKeyPin: Hashable, Sendable, CustomStringConvertible {
    private let digest: [UInt8]

    /// A pin in base64, with or without `sha256/` before it; nil where it is not one.
    public init?(_ text: String) {
        var base64 = text[...]
        // As curl writes it, there are two slashes; but base64 itself may begin with one.
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

    /// The pin of a certificate, of the first one in a PEM text; nil where there is none.
    public init?(certificate: Data) {
        guard let first = try? CertificateSource.data(certificate).certificates().first else { return nil }
        self.init(der: first)
    }

    init?(der: Data) {
        guard let key = DER.publicKey(ofCertificate: der) else { return nil }
        digest = SHA256.digest(key)
    }

    var base64: String { Data(digest).base64EncodedString() }

    /// The pin as rules take it, and as a log may show it: `sha256/` and base64.
    public var description: String { "sha256/\(base64)" }
}
