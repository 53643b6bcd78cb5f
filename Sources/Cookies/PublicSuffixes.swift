/// The domains in which anyone can register names, such as `com` and `co.uk`. No cookie may be for all hosts of such a
/// domain.
///
/// On Linux, `.system` uses the list of libpsl, which the packages of libcurl bring along on most systems. On Apple
/// platforms there is no such library. There, load the file `public_suffix_list.dat` of
/// [publicsuffix.org](https://publicsuffix.org) into `.list(_:)`:
///
/// ```swift
/// let suffixes = PublicSuffixes.list(try String(contentsOf: file, encoding: .utf8))
/// let jar = CookieJar(publicSuffixes: suffixes)
/// ```
///
/// Without a list, only domains of one label and addresses are refused. ``isComplete`` is false then, and a server at
/// `a.co.uk` could set a cookie for `co.uk`.
public struct PublicSuffixes: Sendable {
    private enum Source: Sendable {
        case system
        case list(SuffixList)
        case labels
    }

    private let source: Source

    /// The list of the system, if there is one.
    public static let system = PublicSuffixes(source: .system)

    /// No list. Only domains of one label are refused.
    public static let singleLabels = PublicSuffixes(source: .labels)

    /// A list in the format of publicsuffix.org. Lines that are not rules are ignored.
    public static func list(_ text: String) -> PublicSuffixes {
        PublicSuffixes(source: .list(SuffixList(text)))
    }

    /// A Boolean value that indicates whether there is a list. Reading it may open the library of the system.
    public var isComplete: Bool {
        switch source {
        case .system: SystemSuffixes.problem == nil
        case .list(let list): !list.isEmpty
        case .labels: false
        }
    }

    /// Returns whether anyone can register names below a domain, which is in lower case. A dot at its end makes no difference.
    func contains(_ domain: String) -> Bool {
        let domain = domain.utf8.last == UInt8(ascii: ".") ? String(domain.dropLast()) : domain
        guard domain.utf8.contains(UInt8(ascii: ".")) else { return true }
        switch source {
        case .system: return SystemSuffixes.contains(domain) ?? false
        case .list(let list): return list.contains(domain)
        case .labels: return false
        }
    }
}

extension PublicSuffixes {
    /// Returns the domain that its owner has registered, such as `example.co.uk` for `shop.example.co.uk`. An address and a public
    /// suffix stand for themselves.
    func site(of domain: String) -> String {
        guard HostName.address(domain) == nil else { return domain }
        var site = domain
        var rest = domain[...]
        while !contains(String(rest)) {
            site = String(rest)
            guard let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) else { break }
            rest = rest[rest.utf8.index(after: dot)...]
        }
        return site
    }
}

extension PublicSuffixes: CustomStringConvertible {
    /// Such as `libpsl of the system`, or `domains of one label, because libpsl.so.5 cannot be opened`.
    public var description: String {
        switch source {
        case .system:
            SystemSuffixes.problem.map { "domains of one label, because there is no list: \($0)" }
                ?? "libpsl of the system"
        case .list(let list): "a list of \(list.count) rules"
        case .labels: "domains of one label"
        }
    }
}
