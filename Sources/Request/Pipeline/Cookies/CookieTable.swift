#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The cookies of a jar. It is a plain value: the jar has it behind its lock.
struct CookieTable {
    struct Entry {
        var cookie: Cookie
        /// A number that rises with each new cookie, for those that were set at the same time.
        var order: UInt64
        var lastUsed: Date
    }

    /// The highest numbers of cookies.
    struct Limits: Sendable {
        /// For each domain. RFC 6265bis asks for 50 or more.
        var perDomain = 180
        /// In total.
        var total = 3000
    }

    private var domains: [ExactString: [Entry]] = [:]
    private(set) var count = 0
    private var lastOrder: UInt64 = 0
    let limits: Limits

    init(limits: Limits = Limits()) { self.limits = limits }

    /// All cookies, in the order in which they were set.
    var entries: [Entry] {
        domains.values.joined().sorted { ($0.cookie.created, $0.order) < ($1.cookie.created, $1.order) }
    }

    // MARK: Changing

    /// Stores a cookie in place of the one with the same key, which gives it its age. An expired cookie removes that one
    /// (RFC 6265bis, 5.7).
    ///
    /// - Returns: True if there is another cookie than before.
    @discardableResult
    mutating func set(_ cookie: Cookie, at now: Date, lastUsed: Date? = nil) -> Bool {
        guard !cookie.isExpired(at: now) else { return remove(cookie.key) != nil }
        var cookie = cookie
        let old = remove(cookie.key)
        if let old { cookie.created = old.cookie.created }
        lastOrder += 1
        domains[cookie.key.domain, default: []].append(
            Entry(cookie: cookie, order: old?.order ?? lastOrder, lastUsed: lastUsed ?? now))
        count += 1
        makeRoom(in: cookie.key.domain, at: now)
        return old?.cookie != cookie
    }

    @discardableResult
    mutating func remove(_ key: Cookie.Key) -> Entry? {
        guard let place = domains[key.domain]?.firstIndex(where: { $0.cookie.key == key }) else { return nil }
        let old = domains[key.domain]?.remove(at: place)
        if domains[key.domain]?.isEmpty == true { domains[key.domain] = nil }
        count -= 1
        return old
    }

    mutating func removeAll(where isRemoved: (Cookie) -> Bool) {
        domains = domains.compactMapValues { entries in
            let rest = entries.filter { !isRemoved($0.cookie) }
            return rest.isEmpty ? nil : rest
        }
        count = domains.values.reduce(0) { $0 + $1.count }
    }

    /// Records that cookies were sent.
    mutating func touch(_ keys: [Cookie.Key], at now: Date) {
        for key in keys {
            guard let place = domains[key.domain]?.firstIndex(where: { $0.cookie.key == key }) else { continue }
            domains[key.domain]?[place].lastUsed = now
        }
    }

    // MARK: Reading

    /// Returns the cookies for all paths of a host, in the order in which they are sent: longer paths first, then older
    /// cookies (RFC 6265bis, 5.8.3).
    func entries(for host: CookieHost) -> [Entry] {
        var found: [Entry] = []
        for domain in host.domains {
            guard let entries = domains[ExactString(domain)] else { continue }
            found += entries.filter { entry in
                (host.isSecure || !entry.cookie.isSecure)
                    && (!entry.cookie.isHostOnly || host.name.hasSameBytes(as: domain))
            }
        }
        return found.sorted { one, other in
            let lengths = (one.cookie.path.utf8.count, other.cookie.path.utf8.count)
            guard lengths.0 == lengths.1 else { return lengths.0 > lengths.1 }
            return (one.cookie.created, one.order) < (other.cookie.created, other.order)
        }
    }

    /// Returns whether a cookie would replace or hide a secure one (RFC 6265bis, 5.7, step 16).
    func hidesSecureCookie(_ cookie: Cookie) -> Bool {
        domains.contains { domain, entries in
            guard
                domain.text.hasSameBytes(as: cookie.domain)
                    || CookieHost.isDomain(domain.text, below: cookie.domain)
                    || CookieHost.isDomain(cookie.domain, below: domain.text)
            else { return false }
            return entries.contains {
                $0.cookie.isSecure && $0.cookie.name.hasSameBytes(as: cookie.name)
                    && CookiePath.matches(cookie.path[...], $0.cookie.path)
            }
        }
    }

    // MARK: Limits

    /// Evicts cookies while there are too many: expired ones first, then those of a domain with too many, of which ones
    /// that are not secure come first, then all others. Within a group, those that were not sent for the longest time
    /// are evicted first (RFC 6265bis, 5.7).
    private mutating func makeRoom(in domain: ExactString, at now: Date) {
        let isDomainFull = domains[domain].map { $0.count > limits.perDomain } ?? false
        guard isDomainFull || count > limits.total else { return }
        removeAll { $0.isExpired(at: now) }
        while let entries = domains[domain], entries.count > limits.perDomain {
            let plain = entries.filter { !$0.cookie.isSecure }
            evictOldest(of: plain.isEmpty ? entries : plain)
        }
        while count > limits.total { evictOldest(of: domains.values.joined()) }
    }

    private mutating func evictOldest(of entries: some Sequence<Entry>) {
        guard let oldest = entries.min(by: { ($0.lastUsed, $0.order) < ($1.lastUsed, $1.order) }) else { return }
        remove(oldest.cookie.key)
    }
}
