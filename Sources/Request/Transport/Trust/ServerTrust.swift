#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Whom to trust at the other end of an `https` connection, and who to be there oneself.
///
/// Without a word, that is what the system trusts: a certificate of one of its authorities, for the host of the URL, over
/// TLS 1.2 or later. Rules that say more are joined by `+`, and each kind of them must hold:
///
/// ```swift
/// let trust: ServerTrust =
///     .pins(["sha256/\(current)"], backups: ["sha256/\(next)"]) + .minimumTLS(.v1_3)
/// ```
///
/// A rule is for every host, unless it stands in a table of ``hosts(_:else:)``. Only ``developmentHost(_:)`` takes anything
/// away, and for one host that it names. A rule that makes no sense, such as a pin with a letter missing, fails every
/// request with ``RequestError/Code/badTrust`` before anything is sent. It is never passed over.
///
/// An `http` URL has no TLS that rules could be about. A request for one is refused in the same way where its host has pins
/// or a client certificate: what was meant for one server only would be sent in clear.
///
/// Connections belong to the rules under which they were made: a request with others has one of its own.
public struct ServerTrust: Hashable, Sendable {
    /// What is said for some hosts, and for all others.
    struct Term: Hashable, Sendable {
        var hosts: [HostPattern: ServerTrust] = [:]
        /// What is said for the hosts that are not in the table: rules, or another value.
        var rules = Rules()
        var others: [ServerTrust] = []
    }

    let terms: [Term]
    /// What makes no sense in it, and what to do; nil where all is well.
    public let problem: String?

    private init(terms: [Term], problem: String?) {
        self.terms = terms
        self.problem = problem
    }

    init(_ rules: Rules, problem: String? = nil) {
        self.init(terms: [Term(rules: rules)], problem: problem)
    }

    /// The certificates that the system trusts, for the host of the URL, over TLS 1.2 or later.
    public static let system = ServerTrust(terms: [], problem: nil)

    /// Both: a rule of either holds, but two of one kind become one.
    ///
    /// A key that either pins passes, and so does a certificate of an authority that either names; the system's
    /// authorities count besides only where both say so. The higher of two TLS versions counts, and the later of two
    /// client certificates and of two names.
    public static func + (first: ServerTrust, second: ServerTrust) -> ServerTrust {
        ServerTrust(terms: first.terms + second.terms, problem: first.problem ?? second.problem)
    }

    /// Other rules for some hosts.
    ///
    /// A host is a name or an address, or a name behind `*.`, which stands for all names below it, however deep, but not
    /// for itself. The closest counts: the name itself, then the longest of those with a star.
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
        for (text, trust) in table.sorted(by: { $0.key < $1.key }) {
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

    /// What holds for a host.
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
