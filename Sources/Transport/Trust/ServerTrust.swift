/// The rules by which a client trusts the server of an `https` connection and identifies itself.
///
/// By default, these are the rules of the system: a certificate of one of its authorities, for the host of the URL,
/// over TLS 1.2 or later. Add further rules with `+`. All kinds of rules must be met:
///
///
/// ```swift
/// let trust: ServerTrust =
///     .pins(["sha256/\(current)"], backups: ["sha256/\(next)"]) + .minimumTLS(.v1_3)
/// ```
///
/// A rule applies to every host, unless it is in a table of ``hosts(_:else:)``. Only ``developmentHost(_:)`` weakens
/// the rules, and only for the host that it names. An invalid rule, such as a pin with a missing letter, fails every
/// request with ``RequestError/Code/badTrust`` before anything is sent. It is never ignored.
///
/// An `http` URL has no TLS. If its host has pins or a client certificate, the request fails in the same way, because
/// confidential data would be sent unencrypted.
///
/// Connections belong to the rules under which they were established. A request with other rules uses another
/// connection.
public struct ServerTrust: Hashable, Sendable {
    /// The rules for some hosts and for all others.
    struct Term: Hashable, Sendable {
        var hosts: [HostPattern: ServerTrust] = [:]
        /// The rules for hosts that are not in the table, here and in `others`.
        var rules = Rules()
        var others: [ServerTrust] = []

        /// A Boolean value that indicates whether a client certificate is for hosts that no table names.
        var hasCertificateForAll: Bool {
            rules.clientCertificate != nil || others.contains { $0.terms.contains(where: \.hasCertificateForAll) }
        }
    }

    let terms: [Term]
    /// A description of what is invalid and what to do, or nil if all rules are valid.
    public let problem: String?

    // Written out, because the compiler would make a copy of the synthesised comparison for each level of nesting.
    @inline(never)
    public static func == (one: ServerTrust, other: ServerTrust) -> Bool {
        one.terms == other.terms && one.problem == other.problem
    }

    private init(terms: [Term], problem: String?) {
        self.terms = terms
        self.problem = problem
    }

    @inline(never)
    init(_ rules: Rules, problem: String? = nil) {
        self.init(terms: [Term(rules: rules)], problem: problem)
    }

    /// The certificates that the system trusts, for the host of the URL, over TLS 1.2 or later.
    public static let system = ServerTrust(terms: [], problem: nil)

    /// Combines the rules of both values. Rules of the same kind become one:
    ///
    /// - A key that either value pins is accepted, and so is a certificate of an authority that either value names.
    /// - The authorities of the system are trusted as well only if both values say so.
    /// - The higher of two TLS versions applies.
    /// - The second of two client certificates applies, and the second of two certificate names.
    public static func + (first: ServerTrust, second: ServerTrust) -> ServerTrust {
        ServerTrust(terms: first.terms + second.terms, problem: first.problem ?? second.problem)
    }

    /// Returns different rules for some hosts.
    ///
    /// A host is a name or an address. A name after `*.` stands for all names below it, at any depth, but not for the
    /// name itself. The most specific entry applies: the name itself, or else the longest one with a star.
    ///
    /// ```swift
    /// let trust: ServerTrust = .hosts([
    ///     "api.example.com": .pins([current], backups: [next]),
    ///     "*.internal.example.com": .authorities([.file(companyAuthority)]),
    /// ])
    /// ```
    public static func hosts(_ table: [String: ServerTrust], else others: ServerTrust = .system) -> ServerTrust {
        var term = Term(others: [others])
        var problem = others.problem
        for (text, trust) in table.sortedByName {
            problem = problem ?? trust.problem
            switch HostPattern.parse(text) {
            case .success(let pattern):
                if term.hosts.updateValue(trust, forKey: pattern) != nil {
                    problem = problem ?? "there are two rules for the host \(pattern): join them with +"
                }
            case .failure(let bad): problem = problem ?? bad.text
            }
        }
        return ServerTrust(terms: [term], problem: problem)
    }

    /// The rules for servers that the client trusts with no credentials: those without a client certificate, unless ``hosts(_:else:)``
    /// names the host that it is for. Nil if that makes no difference.
    package var forOtherOrigins: ServerTrust? {
        guard terms.contains(where: \.hasCertificateForAll) else { return nil }
        return ServerTrust(
            terms: terms.map { term in
                var term = term
                term.rules.clientCertificate = nil
                term.others = term.others.map { $0.forOtherOrigins ?? $0 }
                return term
            }, problem: problem)
    }

    /// Returns the rules for a host.
    public func rules(for host: String) -> Rules {
        rules(for: HostName(host))
    }

    private func rules(for host: HostName) -> Rules {
        terms.reduce(into: Rules()) { rules, term in
            rules.add(term.rules)
            if let closest = term.hosts.filter({ $0.key.matches(host) }).max(by: { $0.key < $1.key }) {
                rules.add(closest.value.rules(for: host))
            } else {
                for other in term.others { rules.add(other.rules(for: host)) }
            }
        }
    }
}

extension ServerTrust {
    /// The server must have one of these keys, in addition to all other rules. The pinned key is that of the server's
    /// own certificate, so a new certificate for the same key passes.
    ///
    /// A pin is the SHA-256 of the key, in base64, with or without the prefix `sha256/`. ``PublicKeyPin`` computes it
    /// from a certificate. A backup is the pin of a key that the server does not use yet. Create one and store its key
    /// away from the server. Otherwise the application cannot connect any more if the first key is lost.
    public static func pins(_ pins: [String], backups: [String] = []) -> ServerTrust {
        guard !pins.isEmpty || !backups.isEmpty else {
            return ServerTrust(Rules(), problem: "the list of pins has no pin: add one or remove the rule")
        }
        var rules = Rules()
        for text in pins + backups {
            guard let pin = PublicKeyPin(text) else {
                return ServerTrust(
                    rules,
                    problem:
                        "the pin \(text.debugDescription) is invalid: write the SHA-256 of the key in base64, which has "
                        + "44 characters and ends in =")
            }
            rules.pins.insert(pin)
        }
        return ServerTrust(rules)
    }

    /// Reports a server that has none of these keys, and lets the request go on. Use it before ``pins(_:backups:)``, to find
    /// wrong pins while they do no harm.
    ///
    /// The closure is called once for each new connection to such a server, on any thread. Create the rule once, such as
    /// with the client: rules with different closures use different connections.
    ///
    /// ```swift
    /// let trust: ServerTrust = .pins(["sha256/\(current)"], reportOnly: { report in log(report.description) })
    /// ```
    public static func pins(
        _ pins: [String], backups: [String] = [], reportOnly report: @escaping @Sendable (PinReport) -> Void
    ) -> ServerTrust {
        let enforced = ServerTrust.pins(pins, backups: backups)
        var rules = Rules()
        guard enforced.problem == nil, let named = enforced.terms.first?.rules.pins else {
            return ServerTrust(rules, problem: enforced.problem)
        }
        rules.reporters = [PinReporter(named, report)]
        return ServerTrust(rules)
    }

    /// The server's certificate must come from one of these authorities, instead of one of the system's.
    ///
    /// A self-signed certificate is an authority for itself.
    ///
    /// - Parameters:
    ///   - authorities: Their certificates; a file may contain several.
    ///   - besidesSystem: A Boolean value that indicates whether the authorities of the system are trusted as well.
    public static func authorities(_ authorities: [CertificateSource], besidesSystem: Bool = false) -> ServerTrust {
        guard !authorities.isEmpty else {
            return ServerTrust(
                Rules(), problem: "the list of authorities is empty: add one or remove the rule")
        }
        return ServerTrust(Rules(authorities: authorities, trustsSystem: besidesSystem))
    }

    /// The certificate and the key with which the client identifies itself if a server requests it. The certificates
    /// between the client's certificate and its authority follow it in the same file.
    ///
    /// Like other credentials, it goes to the origin of ``Client/baseURL`` and to ``Client/Configuration/trustedOrigins`` only,
    /// also after a redirect. For other servers, name them with ``hosts(_:else:)``. A client without a base URL and trusted origins
    /// sends it to the server that a request names.
    ///
    /// - Parameters:
    ///   - certificate: The client's certificate, first in its file.
    ///   - key: Its private key.
    ///   - passphrase: The passphrase of the key; nil if the key is not encrypted.
    public static func clientCertificate(
        _ certificate: CertificateSource, key: CertificateSource, passphrase: String? = nil
    ) -> ServerTrust {
        ServerTrust(
            Rules(
                clientCertificate: ClientCertificate(
                    form: .pair(certificate, key: key), passphrase: passphrase.map(Passphrase.init))))
    }

    /// The certificate and the key with which the client identifies itself if a server requests it, as PKCS #12
    /// (`.p12`, `.pfx`). It goes to the same servers as ``clientCertificate(_:key:passphrase:)``.
    public static func clientCertificate(pkcs12 source: CertificateSource, passphrase: String) -> ServerTrust {
        ServerTrust(
            Rules(clientCertificate: ClientCertificate(form: .pkcs12(source), passphrase: Passphrase(passphrase))))
    }

    /// The lowest version of TLS that is accepted.
    public static func minimumTLS(_ version: TLSVersion) -> ServerTrust {
        ServerTrust(Rules(minimumTLS: version))
    }

    /// The server's certificate must be for this name instead of the host of the URL. Use it for a server that is
    /// reached by its address, or by a name that its certificate lacks.
    ///
    /// The TLS handshake also requests this name.
    public static func certificateName(_ name: String) -> ServerTrust {
        whole(name, "the name") { ServerTrust(Rules(certificateName: $0)) }
    }

    /// Returns the trust for a name or an address without a star.
    private static func whole(_ text: String, _ what: String, _ make: (String) -> ServerTrust) -> ServerTrust {
        switch HostPattern.parse(text) {
        case .success(let pattern) where !pattern.isWildcard: make(pattern.name)
        case .success:
            ServerTrust(Rules(), problem: "\(what) \(text.debugDescription) has a star: write one whole name")
        case .failure(let bad): ServerTrust(Rules(), problem: bad.text)
        }
    }

    /// Accepts any certificate from this one host: self-signed, expired, or for another name. An attacker on the
    /// network could then read and change everything. So use it only for a server on the developer's own machine.
    ///
    /// Other rules that are added apply to this host as well. Put the pins of a production host in a table of
    /// ``hosts(_:else:)``.
    public static func developmentHost(_ host: String) -> ServerTrust {
        whole(host, "the development host") { .hosts([$0: ServerTrust(Rules(isDevelopment: true))]) }
    }
}

/// A version of TLS. Older versions are broken and are never offered.
public enum TLSVersion: Int, Hashable, Sendable, Comparable, CaseIterable, CustomStringConvertible {
    /// RFC 5246. The oldest version that is offered, and the default minimum.
    case v1_2 = 2
    /// RFC 8446.
    case v1_3 = 3

    /// Older versions come first.
    public static func < (first: TLSVersion, second: TLSVersion) -> Bool { first.rawValue < second.rawValue }

    /// The common name of the version: `TLS 1.3`.
    public var description: String { "TLS 1.\(rawValue)" }
}
