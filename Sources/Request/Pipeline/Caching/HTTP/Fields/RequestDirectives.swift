/// The cache directives of a request (RFC 9111, 5.2.1; RFC 5861, 4).
struct RequestDirectives: Sendable {
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
        for (name, argument) in CacheControl(values).directives {
            let seconds = argument.flatMap { DeltaSeconds.parse($0) }
            switch name {
            case "no-cache": noCache = true
            case "no-store": noStore = true
            case "only-if-cached": onlyIfCached = true
            case "max-age": maxAge = DeltaSeconds.less(maxAge, seconds ?? 0)
            case "max-stale": maxStale = DeltaSeconds.less(maxStale, argument == nil ? DeltaSeconds.most : seconds)
            case "min-fresh": minFresh = seconds.map { max(minFresh ?? 0, $0) } ?? minFresh
            case "stale-if-error": staleIfError = DeltaSeconds.less(staleIfError, seconds)
            default: break
            }
        }
    }
}
