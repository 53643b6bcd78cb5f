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
        /// For each registered domain with all hosts in it, so that one site cannot evict the cookies of others by means of many
        /// hosts. RFC 6265bis asks for 50 or more.
        var perSite = 180
        /// In total.
        var total = 3000
    }

    /// The cookies of a site, by their domains.
    private typealias Site = [ExactString: [Entry]]

    private var sites: [ExactString: Site] = [:]
    /// The site of each domain with cookies, because a look into the list of suffixes takes time.
    private var siteOfDomain: [ExactString: ExactString] = [:]
    /// The domains with cookies below each domain.
    private var domainsBelow: [ExactString: Set<ExactString>] = [:]
    private(set) var count = 0
    private var lastOrder: UInt64 = 0
    private let suffixes: PublicSuffixes
    let limits: Limits

    init(_ suffixes: PublicSuffixes = .singleLabels, limits: Limits = Limits()) {
        self.suffixes = suffixes
        self.limits = limits
    }

    /// The table without its cookies.
    var emptied: CookieTable { CookieTable(suffixes, limits: limits) }

    private subscript(domain: ExactString) -> [Entry]? {
        siteOfDomain[domain].flatMap { sites[$0]?[domain] }
    }

    private var all: some Sequence<Entry> { sites.values.lazy.flatMap { $0.values.joined() } }

    /// All cookies, in the order in which they were set.
    var entries: [Entry] {
        all.sorted { ($0.cookie.created, $0.order) < ($1.cookie.created, $1.order) }
    }

    // MARK: Changing

    /// Stores a cookie in place of the one with the same key, which gives it its age. An expired cookie removes that one
    /// (RFC 6265bis, 5.7).
    ///
    /// - Returns: True if there is another cookie than before.
    @discardableResult
    mutating func set(_ cookie: Cookie, at now: Date, lastUsed: Date? = nil) -> Bool {
        guard !cookie.isExpired(at: now) else { return remove(cookie.key) != nil }
        let domain = cookie.key.domain
        lastOrder += 1
        var entry = Entry(cookie: cookie, order: lastOrder, lastUsed: lastUsed ?? now)
        if let (site, index) = place(of: cookie.key), let old = sites[site]?[domain]?[index] {
            entry.cookie.created = old.cookie.created
            entry.order = old.order
            sites[site]?[domain]?[index] = entry
            return entry.cookie != old.cookie
        }
        let site = siteOfDomain[domain] ?? ExactString(suffixes.site(of: domain.text))
        if siteOfDomain.updateValue(site, forKey: domain) == nil {
            for parent in Self.parents(of: domain) { domainsBelow[parent, default: []].insert(domain) }
        }
        sites[site, default: [:]][domain, default: []].append(entry)
        count += 1
        makeRoom(in: site, at: now)
        return true
    }

    @discardableResult
    mutating func remove(_ key: Cookie.Key) -> Entry? {
        guard let (site, index) = place(of: key) else { return nil }
        let old = sites[site]?[key.domain]?.remove(at: index)
        if sites[site]?[key.domain]?.isEmpty == true {
            sites[site]?[key.domain] = nil
            forget(key.domain)
        }
        if sites[site]?.isEmpty == true { sites[site] = nil }
        count -= 1
        return old
    }

    private func place(of key: Cookie.Key) -> (site: ExactString, index: Int)? {
        guard let site = siteOfDomain[key.domain],
            let index = sites[site]?[key.domain]?.firstIndex(where: { $0.cookie.key == key })
        else { return nil }
        return (site, index)
    }

    private static func parents(of domain: ExactString) -> some Sequence<ExactString> {
        CookieHost.domains(of: domain.text).dropFirst().lazy.map(ExactString.init)
    }

    /// Removes a domain without cookies from the indexes.
    private mutating func forget(_ domain: ExactString) {
        siteOfDomain[domain] = nil
        for parent in Self.parents(of: domain) {
            domainsBelow[parent]?.remove(domain)
            if domainsBelow[parent]?.isEmpty == true { domainsBelow[parent] = nil }
        }
    }

    mutating func removeAll(where isRemoved: (Cookie) -> Bool) {
        sites = sites.compactMapValues { site in
            let rest = site.compactMapValues { entries in
                let rest = entries.filter { !isRemoved($0.cookie) }
                return rest.isEmpty ? nil : rest
            }
            return rest.isEmpty ? nil : rest
        }
        count = all.reduce(0) { count, _ in count + 1 }
        for (domain, site) in siteOfDomain where sites[site]?[domain] == nil { forget(domain) }
    }

    /// Records that cookies were sent.
    mutating func touch(_ keys: [Cookie.Key], at now: Date) {
        for key in keys {
            guard let (site, index) = place(of: key) else { continue }
            sites[site]?[key.domain]?[index].lastUsed = now
        }
    }

    // MARK: Reading

    /// Returns the cookies for all paths of a host, in the order in which they are sent: longer paths first, then older
    /// cookies (RFC 6265bis, 5.8.3).
    func entries(for host: CookieHost) -> [Entry] {
        var found: [Entry] = []
        for domain in host.domains {
            guard let entries = self[ExactString(domain)] else { continue }
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
        let domain = cookie.key.domain
        let related = [domain] + Self.parents(of: domain) + (domainsBelow[domain] ?? [])
        return related.contains { domain in
            self[domain]?.contains {
                $0.cookie.isSecure && $0.cookie.name.hasSameBytes(as: cookie.name)
                    && CookiePath.matches(cookie.path[...], $0.cookie.path)
            } ?? false
        }
    }

    // MARK: Limits

    /// Evicts cookies while there are too many: expired ones first, then those of a site with too many, then all others. Cookies
    /// that are not secure are evicted before secure ones, and within both groups those that were not sent for the longest time
    /// (RFC 6265bis, 5.7).
    private mutating func makeRoom(in site: ExactString, at now: Date) {
        guard count(in: site) > limits.perSite || count > limits.total else { return }
        if all.contains(where: { $0.cookie.isExpired(at: now) }) { removeAll { $0.isExpired(at: now) } }
        while count(in: site) > limits.perSite, let domains = sites[site] { evictOldest(of: domains.values.joined()) }
        while count > limits.total { evictOldest(of: all) }
    }

    private func count(in site: ExactString) -> Int { sites[site]?.values.reduce(0) { $0 + $1.count } ?? 0 }

    private mutating func evictOldest(of entries: some Sequence<Entry>) {
        let oldest = entries.min { one, other in
            guard one.cookie.isSecure == other.cookie.isSecure else { return !one.cookie.isSecure }
            return (one.lastUsed, one.order) < (other.lastUsed, other.order)
        }
        if let oldest { remove(oldest.cookie.key) }
    }
}
