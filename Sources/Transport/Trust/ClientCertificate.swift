/// The certificate and the key of a client, for servers that request one.
package struct ClientCertificate: Hashable, Sendable {
    package enum Form: Hashable, Sendable {
        case pair(CertificateSource, key: CertificateSource)
        case pkcs12(CertificateSource)
    }

    package let form: Form
    package let passphrase: Passphrase?
}

/// A passphrase, which no description shows. Passphrases are compared by their bytes.
package struct Passphrase: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    private let bytes: ExactString

    init(_ text: String) {
        bytes = ExactString(text)
    }

    package var text: String { bytes.text }

    package var description: String { "a passphrase" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
