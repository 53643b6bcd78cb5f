/// What a request says about answers from a cache (RFC 9111, 5.2.1; RFC 5861, 4).
struct RequestDirectives: Hashable, Sendable {
    var noCache = false
    var noStore = false
    var onlyIfCached = false
    /// Zero where it cannot be read.
    var maxAge: Int?
    /// ``DeltaSeconds/most`` where any staleness will do.
    var maxStale: Int?
    var minFresh: Int?
    var staleIfError: Int?

    init() {}

    init(_ headers: Headers) {
        let values = headers.all("Cache-Control")
        guard !values.isEmpty else {
            // Pragma counts for those who know nothing newer (RFC 9111, 5.4).
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
