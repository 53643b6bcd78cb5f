/// What a response says about keeping it (RFC 9111, 5.2.2; RFC 5861; RFC 8246), in the form that is kept with it.
struct ResponseDirectives: Hashable, Sendable {
    struct Flags: OptionSet, Hashable, Sendable {
        let rawValue: UInt16

        static let noStore = Flags(rawValue: 1 << 0)
        /// Without a list of fields.
        static let noCache = Flags(rawValue: 1 << 1)
        static let mustRevalidate = Flags(rawValue: 1 << 2)
        static let proxyRevalidate = Flags(rawValue: 1 << 3)
        static let mustUnderstand = Flags(rawValue: 1 << 4)
        static let isPublic = Flags(rawValue: 1 << 5)
        static let isPrivate = Flags(rawValue: 1 << 6)
        static let immutable = Flags(rawValue: 1 << 7)
        static let sharedMaxAge = Flags(rawValue: 1 << 8)
    }

    var flags: Flags = []
    /// Zero where it cannot be read.
    var maxAge: Int?
    var staleWhileRevalidate: Int?
    var staleIfError: Int?
    /// Fields that are not to be used without asking again, so they are not kept.
    var noCacheFields: [String] = []

    init(_ headers: Headers) {
        let values = headers.all("Cache-Control")
        guard !values.isEmpty else { return }
        let control = CacheControl(values)
        let noCache = control.fields("no-cache")
        noCacheFields = noCache.listed
        if noCache.isBare { flags.insert(.noCache) }
        for (name, flag) in Self.names where control.contains(name) { flags.insert(flag) }
        maxAge = control.leastOrZero("max-age")
        staleWhileRevalidate = control.least("stale-while-revalidate")
        staleIfError = control.least("stale-if-error")
    }

    private static let names: [(String, Flags)] = [
        ("no-store", .noStore), ("must-revalidate", .mustRevalidate), ("proxy-revalidate", .proxyRevalidate),
        ("must-understand", .mustUnderstand), ("public", .isPublic), ("private", .isPrivate),
        ("immutable", .immutable), ("s-maxage", .sharedMaxAge),
    ]

    /// Whether it must never be given stale.
    ///
    /// `proxy-revalidate` and `s-maxage` are meant for shared caches alone; who writes them does not want stale answers, so
    /// they count here too, though not for freshness.
    var forbidsStale: Bool {
        !flags.isDisjoint(with: [.noCache, .mustRevalidate, .proxyRevalidate, .sharedMaxAge])
    }
}
