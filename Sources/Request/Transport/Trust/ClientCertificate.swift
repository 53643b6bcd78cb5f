/// The certificate and the key of a client, for servers that request one.
struct ClientCertificate: Hashable, Sendable {
    enum Form: Hashable, Sendable {
        case pair(CertificateSource, key: CertificateSource)
        case pkcs12(CertificateSource)
    }

    let form: Form
    let passphrase: Passphrase?
}

/// A passphrase, which no description shows. Passphrases are compared by their bytes.
struct Passphrase: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let bytes: ExactString

    init(_ text: String) {
        bytes = ExactString(text)
    }

    var text: String { bytes.text }

    var description: String { "a passphrase" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
