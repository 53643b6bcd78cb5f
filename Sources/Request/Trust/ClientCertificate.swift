/// Who a client is, for servers that want to know: its certificate and its key.
public struct ClientCertificate: Hashable, Sendable {
    enum Form: Hashable, Sendable {
        case pair(CertificateSource, key: CertificateSource)
        case pkcs12(CertificateSource)
    }

    let form: Form
    let passphrase: Passphrase?
}

/// A word that nobody reads in a log.
struct Passphrase: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    var description: String { "a passphrase" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
