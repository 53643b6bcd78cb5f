#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ServerTrust {
    /// The server must have one of these keys, besides all else: what is pinned is the key in its own certificate, not that
    /// of an authority, so that a new certificate for the same key passes.
    ///
    /// A pin is the SHA-256 of the key, in base64, with or without `sha256/` before it; ``PublicKeyPin`` makes one of a
    /// certificate. A backup is a key that the server does not have yet: keep one, away from the server, or the application
    /// can talk to nobody on the day that the first is lost.
    public static func pins(_ pins: [String], backups: [String] = []) -> ServerTrust {
        guard !pins.isEmpty || !backups.isEmpty else {
            return ServerTrust(Rules(), problem: "there is no pin in the list of pins: give one, or leave the rule out")
        }
        var rules = Rules()
        for text in pins + backups {
            guard let pin = PublicKeyPin(text) else {
                return ServerTrust(
                    rules,
                    problem: "the pin \(text.debugDescription) is not the SHA-256 of a key in base64, which has 44 "
                        + "characters and ends in =")
            }
            rules.pins.insert(pin)
        }
        return ServerTrust(rules)
    }

    /// The server's certificate must come from one of these authorities, rather than from one of the system's.
    ///
    /// A self-signed certificate is an authority for itself.
    ///
    /// - Parameters:
    ///   - authorities: Their certificates; a file may have several.
    ///   - besidesSystem: Whether the authorities of the system count as well.
    public static func authorities(_ authorities: [CertificateSource], besidesSystem: Bool = false) -> ServerTrust {
        guard !authorities.isEmpty else {
            return ServerTrust(
                Rules(), problem: "there is no authority in the list of authorities: give one, or leave the rule out")
        }
        return ServerTrust(
            Rules(authorities: Rules.Authorities(sources: authorities, besidesSystem: besidesSystem)))
    }

    /// What to show to a server that wants to know who calls: a certificate, with those between it and its authority behind
    /// it, and its key.
    ///
    /// - Parameters:
    ///   - certificate: The client's certificate, first in its file.
    ///   - key: Its private key.
    ///   - passphrase: What the key is encrypted with; nil is not at all.
    public static func clientCertificate(
        _ certificate: CertificateSource, key: CertificateSource, passphrase: String? = nil
    ) -> ServerTrust {
        ServerTrust(
            Rules(
                clientCertificate: ClientCertificate(
                    form: .pair(certificate, key: key), passphrase: passphrase.map(Passphrase.init))))
    }

    /// What to show to a server that wants to know who calls: a certificate with its key, as PKCS #12 (`.p12`, `.pfx`).
    public static func clientCertificate(pkcs12 source: CertificateSource, passphrase: String) -> ServerTrust {
        ServerTrust(
            Rules(clientCertificate: ClientCertificate(form: .pkcs12(source), passphrase: Passphrase(passphrase))))
    }

    /// No version of TLS before this one.
    public static func minimumTLS(_ version: TLSVersion) -> ServerTrust {
        ServerTrust(Rules(minimumTLS: version))
    }

    /// The server's certificate must be for this name rather than for the host of the URL: for a server that is reached by
    /// an address, or by another name than that which it was certified for.
    ///
    /// The name is also the one that the server is asked for in the handshake.
    public static func certificateName(_ name: String) -> ServerTrust {
        switch HostPattern.parse(name) {
        case .success(let pattern) where !pattern.isWildcard:
            return ServerTrust(Rules(certificateName: pattern.name))
        case .success:
            return ServerTrust(Rules(), problem: "a server has one name, which \(name.debugDescription) is not")
        case .failure(let bad): return ServerTrust(Rules(), problem: bad.text)
        }
    }

    /// Takes any certificate from this one host: self-signed, expired, or for another name. Whoever stands between here and
    /// there can read and change everything, so that this is for a server on the developer's own machine only.
    ///
    /// Rules that are joined with it hold there too: give pins for a host of production in a table of ``hosts(_:else:)``.
    public static func developmentHost(_ host: String) -> ServerTrust {
        switch HostPattern.parse(host) {
        case .success(let pattern) where !pattern.isWildcard:
            return .hosts([host: ServerTrust(Rules(isDevelopment: true))])
        case .success:
            return ServerTrust(
                Rules(),
                problem: "a development host must be named: \(host.debugDescription) would be any number of them")
        case .failure(let bad): return ServerTrust(Rules(), problem: bad.text)
        }
    }
}

/// A version of TLS. What is older was broken, and is not offered.
public enum TLSVersion: Int, Hashable, Sendable, Comparable, CaseIterable, CustomStringConvertible {
    /// RFC 5246: the oldest that is offered, and without a rule enough.
    case v1_2 = 2
    /// RFC 8446.
    case v1_3 = 3

    /// Older versions come first.
    public static func < (first: TLSVersion, second: TLSVersion) -> Bool { first.rawValue < second.rawValue }

    /// The name that people know it by: `TLS 1.3`.
    public var description: String { "TLS 1.\(rawValue)" }
}
