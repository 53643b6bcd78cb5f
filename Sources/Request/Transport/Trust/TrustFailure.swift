/// Which rule a server, or a handshake with it, has failed: below a ``RequestError`` with the code
/// ``RequestError/Code/untrusted`` or ``RequestError/Code/tlsFailed``, where ``RequestError/trustFailure`` finds it.
///
/// The set is open, as those of codes are.
public struct TrustFailure: RawRepresentable, Hashable, Sendable, Error, CustomStringConvertible {
    /// The name of the rule.
    public let rawValue: String

    /// A failure of another rule, such as one that only a transport of yours knows.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The name of the rule.
    public var description: String { rawValue }

    // What is wrong with the server's certificate.

    /// The time that it is valid for is over.
    public static let expired = Self(rawValue: "expired")
    /// The time that it is valid for has not begun, or a clock is wrong.
    public static let notYetValid = Self(rawValue: "notYetValid")
    /// It is signed by itself, and not one of the authorities that are trusted.
    public static let selfSigned = Self(rawValue: "selfSigned")
    /// It leads to no authority that is trusted.
    public static let unknownAuthority = Self(rawValue: "unknownAuthority")
    /// It is for another host.
    public static let wrongHost = Self(rawValue: "wrongHost")
    /// Its key is none of those that are pinned.
    public static let wrongPin = Self(rawValue: "wrongPin")
    /// Its authority has taken it back.
    public static let revoked = Self(rawValue: "revoked")
    /// It is damaged, too weak, or was made for something else.
    public static let badCertificate = Self(rawValue: "badCertificate")

    // What is wrong with the handshake.

    /// The server wants a certificate of the client, and was shown none.
    public static let clientCertificateWanted = Self(rawValue: "clientCertificateWanted")
    /// The server does not take the certificate of the client.
    public static let clientCertificateRefused = Self(rawValue: "clientCertificateRefused")
    /// The server has no version of TLS that is new enough.
    public static let tlsVersion = Self(rawValue: "tlsVersion")
    /// The server does not speak TLS at that port, which is most likely one for `http`.
    public static let notTLS = Self(rawValue: "notTLS")
    /// The two sides did not come to terms. In TLS 1.2 a server that was shown no certificate of the client, and wants one,
    /// may say no more than that.
    public static let handshake = Self(rawValue: "handshake")

    private static let ofHandshake: Set = [
        clientCertificateWanted, clientCertificateRefused, tlsVersion, notTLS, handshake,
    ]

    /// Which error it makes.
    public var code: RequestError.Code {
        Self.ofHandshake.contains(self) ? .tlsFailed : .untrusted
    }

    /// What it means, for developers.
    func sentence(host: String, rules: ServerTrust.Rules) -> String {
        switch self {
        case .expired: "the certificate of \(host) has expired"
        case .notYetValid: "the certificate of \(host) is not valid yet: look at the clocks of both sides"
        case .selfSigned:
            "the certificate of \(host) is signed by itself: give it as one of the authorities to trust it"
        case .unknownAuthority: "the certificate of \(host) comes from no authority that is trusted"
        case .wrongHost: "the certificate of \(host) is not for \(rules.certificateName ?? "that host")"
        case .wrongPin:
            "the key of \(host) is none of the \(rules.pins.count) that \(rules.pins.count == 1 ? "is" : "are") pinned"
        case .revoked: "the certificate of \(host) was revoked"
        case .badCertificate: "the certificate of \(host) is damaged, too weak, or made for something else"
        case .clientCertificateWanted: "\(host) wants a certificate of the client: give it one"
        case .clientCertificateRefused: "\(host) does not take the certificate of the client"
        case .tlsVersion: "\(host) has no \(rules.minimumTLS) or later"
        case .notTLS: "\(host) does not speak TLS at that port: is the URL meant to be http, or the port another one?"
        case .handshake: "no handshake of TLS came about with \(host)"
        default: "\(host) has failed the rule \(rawValue)"
        }
    }
}

extension TrustFailure: DescribedError {
    /// A Boolean value that indicates whether a library says that the first bytes of the server were none of TLS.
    static func isAboutOtherProtocol(_ message: String) -> Bool {
        // OpenSSL before 3.2, OpenSSL from then on, GnuTLS.
        ["wrong version number", "packet length too long", "wrong ssl version", "unexpected tls packet"]
            .contains { message.lowercased().contains($0) }
    }
}

extension RequestError {
    /// Which rule of ``ServerTrust`` the server has failed, if that is what went wrong.
    public var trustFailure: TrustFailure? { underlying as? TrustFailure }

    /// The error for a rule that was failed; transports add what their library says.
    init(
        _ failure: TrustFailure, host: String, rules: ServerTrust.Rules, phase: Phase = .connect,
        saying text: String = ""
    ) {
        self.init(
            failure.code, phase: phase,
            detail: failure.sentence(host: host, rules: rules) + (text.isEmpty ? "" : ": \(text)"), underlying: failure)
    }
}
