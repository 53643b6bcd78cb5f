/// The rule that a server, or a handshake with it, has broken. It is the underlying error of a ``RequestError`` with
/// the code ``RequestError/Code/untrusted`` or ``RequestError/Code/tlsFailed``: see ``RequestError/trustFailure``.
///
/// Later versions may add failures.
public struct TrustFailure: RawRepresentable, Hashable, Sendable, Error, CustomStringConvertible {
    /// The name of the rule.
    public let rawValue: String

    /// Creates a failure of another rule, such as one that only your own transport has.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The name of the rule.
    public var description: String { rawValue }

    // Failures of the server's certificate.

    /// The certificate has expired.
    public static let expired = Self(rawValue: "expired")
    /// The certificate is not valid yet, or a clock is wrong.
    public static let notYetValid = Self(rawValue: "notYetValid")
    /// The certificate is self-signed and not a trusted authority.
    public static let selfSigned = Self(rawValue: "selfSigned")
    /// The certificate was not issued by a trusted authority.
    public static let unknownAuthority = Self(rawValue: "unknownAuthority")
    /// The certificate is for another host.
    public static let wrongHost = Self(rawValue: "wrongHost")
    /// The key of the certificate is not pinned.
    public static let wrongPin = Self(rawValue: "wrongPin")
    /// The authority has revoked the certificate.
    public static let revoked = Self(rawValue: "revoked")
    /// The certificate is damaged, too weak, or intended for another purpose.
    public static let badCertificate = Self(rawValue: "badCertificate")

    // Failures of the handshake.

    /// The server requires a client certificate, and none was sent.
    public static let clientCertificateWanted = Self(rawValue: "clientCertificateWanted")
    /// The server rejected the client certificate.
    public static let clientCertificateRefused = Self(rawValue: "clientCertificateRefused")
    /// The server supports no version of TLS that is new enough.
    public static let tlsVersion = Self(rawValue: "tlsVersion")
    /// The server does not use TLS at that port. The port is probably for `http`.
    public static let notTLS = Self(rawValue: "notTLS")
    /// The handshake failed for another reason. In TLS 1.2, a missing client certificate may also cause it.
    public static let handshake = Self(rawValue: "handshake")

    private static let ofHandshake: Set = [
        clientCertificateWanted, clientCertificateRefused, tlsVersion, notTLS, handshake,
    ]

    /// The code of the error for this failure.
    public var code: RequestError.Code {
        Self.ofHandshake.contains(self) ? .tlsFailed : .untrusted
    }

    /// A description for developers.
    ///
    /// - Parameter presented: The pin of the server's key, if the transport knows it.
    func sentence(host: String, rules: ServerTrust.Rules, presented: PublicKeyPin? = nil) -> String {
        switch self {
        case .expired: "the certificate of \(host) has expired: renew it on the server"
        case .notYetValid: "the certificate of \(host) is not valid yet: check the clocks of both sides"
        case .selfSigned:
            "the certificate of \(host) is self-signed: to trust it, add it with ServerTrust.authorities"
        case .unknownAuthority:
            "the certificate of \(host) was not issued by a trusted authority: to trust it, add the authority with "
                + "ServerTrust.authorities"
        case .wrongHost:
            "the certificate of \(host) is not for \(rules.certificateName ?? "that host"): check the host of the URL"
        case .wrongPin:
            "the key of \(host) \(presented.map { "is \($0), which " } ?? "")is not pinned: if the server has a new key, add "
                + "its pin"
        case .revoked: "the certificate of \(host) was revoked: replace it on the server"
        case .badCertificate:
            "the certificate of \(host) is damaged, too weak, or intended for another purpose: replace it on the server"
        case .clientCertificateWanted:
            "\(host) requires a client certificate: add one with ServerTrust.clientCertificate"
        case .clientCertificateRefused:
            "\(host) rejected the client certificate: check that it is valid and known to the server"
        case .tlsVersion: "\(host) does not support \(rules.minimumTLS) or later: update the server"
        case .notTLS: "\(host) does not use TLS at that port: check the scheme and the port of the URL"
        case .handshake: "the TLS handshake with \(host) failed: check the TLS settings of the server"
        default: "\(host) has broken the rule \(rawValue): check the server"
        }
    }
}

extension TrustFailure: DescribedError {
    /// Returns whether a message of a library says that the server's first bytes were not TLS.
    static func isAboutOtherProtocol(_ message: String) -> Bool {
        // OpenSSL before 3.2, OpenSSL from then on, GnuTLS.
        ["wrong version number", "packet length too long", "wrong ssl version", "unexpected tls packet"]
            .contains { message.lowercased().contains($0) }
    }
}

extension RequestError {
    /// The rule of ``ServerTrust`` that the server has broken, if that caused the error.
    public var trustFailure: TrustFailure? { underlying as? TrustFailure }

    /// Creates the error for a broken rule. Transports add the message of their library.
    package init(
        _ failure: TrustFailure, host: String, rules: ServerTrust.Rules, phase: Phase = .connect,
        presented: PublicKeyPin? = nil, saying text: String = ""
    ) {
        self.init(
            failure.code, phase: phase,
            detail: failure.sentence(host: host, rules: rules, presented: presented)
                + (text.isEmpty ? "" : " (\(text))"),
            underlying: failure
        )
    }
}

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
