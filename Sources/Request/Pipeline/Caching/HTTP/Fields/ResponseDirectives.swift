/// The cache directives of a response (RFC 9111, 5.2.2; RFC 5861; RFC 8246).
struct ResponseDirectives: Sendable {
    struct Flags: OptionSet, Sendable {
        let rawValue: UInt16

        static let noStore = Flags(rawValue: 1 << 0)
        /// `no-cache` without a list of fields.
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
    /// The smallest `max-age`. A malformed one counts as zero.
    var maxAge: Int?
    var staleWhileRevalidate: Int?
    var staleIfError: Int?
    /// The fields that `no-cache` lists. They require revalidation before each use, so they are not cached.
    var noCacheFields: [String] = []

    init(_ headers: Headers) {
        let values = headers.all("Cache-Control")
        guard !values.isEmpty else { return }
        for (name, argument) in CacheControl(values).directives {
            let seconds = argument.flatMap { DeltaSeconds.parse($0) }
            switch name {
            case "no-cache":
                let fields = argument.map { FieldList.elements(of: $0).map { String($0) } } ?? []
                if fields.isEmpty { flags.insert(.noCache) }
                noCacheFields += fields
            case "max-age": maxAge = DeltaSeconds.less(maxAge, seconds ?? 0)
            case "stale-while-revalidate": staleWhileRevalidate = DeltaSeconds.less(staleWhileRevalidate, seconds)
            case "stale-if-error": staleIfError = DeltaSeconds.less(staleIfError, seconds)
            case "no-store": flags.insert(.noStore)
            case "must-revalidate": flags.insert(.mustRevalidate)
            case "proxy-revalidate": flags.insert(.proxyRevalidate)
            case "must-understand": flags.insert(.mustUnderstand)
            case "public": flags.insert(.isPublic)
            case "private": flags.insert(.isPrivate)
            case "immutable": flags.insert(.immutable)
            case "s-maxage": flags.insert(.sharedMaxAge)
            default: break
            }
        }
    }

    /// A Boolean value that indicates whether the response must not be served stale.
    ///
    /// `proxy-revalidate` and `s-maxage` address shared caches only. They count here because their servers do not want
    /// stale responses. They do not affect freshness.
    var forbidsStale: Bool {
        !flags.isDisjoint(with: [.noCache, .mustRevalidate, .proxyRevalidate, .sharedMaxAge])
    }
}
