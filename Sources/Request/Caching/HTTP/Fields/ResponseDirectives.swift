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
        for (name, argument) in control.directives {
            switch name {
            case "no-cache":
                let fields = argument.map { FieldList.elements(of: $0).map { String($0) } } ?? []
                if fields.isEmpty { flags.insert(.noCache) }
                noCacheFields += fields
            case "max-age": maxAge = min(maxAge ?? DeltaSeconds.most, argument.flatMap { DeltaSeconds.parse($0) } ?? 0)
            case "stale-while-revalidate": staleWhileRevalidate = Self.less(staleWhileRevalidate, argument)
            case "stale-if-error": staleIfError = Self.less(staleIfError, argument)
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

    /// The lesser of two numbers of seconds, leaving out what is no number.
    private static func less(_ one: Int?, _ other: String?) -> Int? {
        guard let other = other.flatMap({ DeltaSeconds.parse($0) }) else { return one }
        return min(one ?? other, other)
    }

    /// Whether it must never be given stale.
    ///
    /// `proxy-revalidate` and `s-maxage` are meant for shared caches alone; who writes them does not want stale answers, so
    /// they count here too, though not for freshness.
    var forbidsStale: Bool {
        !flags.isDisjoint(with: [.noCache, .mustRevalidate, .proxyRevalidate, .sharedMaxAge])
    }
}
