/// The cache directives of a request (RFC 9111, 5.2.1; RFC 5861, 4).
struct RequestDirectives: Hashable, Sendable {
    var noCache = false
    var noStore = false
    var onlyIfCached = false
    /// The smallest `max-age`. A malformed one counts as zero.
    var maxAge: Int?
    /// The smallest `max-stale`; ``DeltaSeconds/most`` if the request accepts any staleness.
    var maxStale: Int?
    var minFresh: Int?
    var staleIfError: Int?

    init() {}

    init(_ headers: Headers) {
        let values = headers.all("Cache-Control")
        guard !values.isEmpty else {
            // Pragma counts only without Cache-Control (RFC 9111, 5.4).
            noCache = headers.contains("Pragma") && CacheControl(headers.all("Pragma")).contains("no-cache")
            return
        }
        let control = CacheControl(values)
        noCache = control.contains("no-cache")
        noStore = control.contains("no-store")
        onlyIfCached = control.contains("only-if-cached")
        maxAge = control.leastOrZero("max-age")
        maxStale =
            control.arguments(of: "max-stale")
            .compactMap { argument in argument.map { DeltaSeconds.parse($0) } ?? DeltaSeconds.most }.min()
        minFresh = control.arguments(of: "min-fresh").compactMap { $0.flatMap { DeltaSeconds.parse($0) } }.max()
        staleIfError = control.least("stale-if-error")
    }
}
