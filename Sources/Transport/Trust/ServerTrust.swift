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
