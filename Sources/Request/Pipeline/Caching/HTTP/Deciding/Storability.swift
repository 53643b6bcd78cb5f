/// The decision whether a response may be stored (RFC 9111, 3).
enum Storability: Equatable, Sendable {
    case yes
    case no(CacheExplanation.Reason)

    /// Returns the decision for a response to a request.
    ///
    /// - Parameter request: The request as the cache received it, without the conditions that the cache adds.
    static func of(_ request: HTTPRequest, status: HTTPStatus, headers: Headers) -> Storability {
        guard status.code >= 200 else { return .no(.statusNotStored) }
        let directives = ResponseDirectives(headers)
        switch request.method {
        case .get: break
        case .post:
            // A later GET may get the response to a POST, if the response allows it (RFC 9110, 9.3.3).
            guard status == 200, hasExplicitFreshness(headers, directives), isItsOwnLocation(request, headers) else {
                return .no(.methodNotStored)
            }
        default: return .no(.methodNotStored)
        }
        if RequestDirectives(request.headers).noStore { return .no(.requestNoStore) }
        if directives.flags.contains(.noStore), !directives.flags.contains(.mustUnderstand) {
            return .no(.responseNoStore)
        }
        if directives.flags.contains(.mustUnderstand), !isUnderstood(status) { return .no(.statusNotUnderstood) }
        switch status {
        // These statuses concern credentials, which the next request may have.
        case .unauthorized, .proxyAuthenticationRequired: return .no(.statusNotStored)
        case .notModified, .preconditionFailed, .rangeNotSatisfiable: return .no(.statusNotStored)
        case .partialContent:
            guard request.headers.contains("Range"), headers.all("Content-Range").count == 1,
                ContentRange(headers["Content-Range"] ?? "") != nil
            else { return .no(.rangeNotStored) }
        default: break
        }
        if Vary(headers) == .anything { return .no(.variesByMore) }
        if hasExplicitFreshness(headers, directives) || !directives.flags.isDisjoint(with: [.isPublic, .isPrivate]) {
            return isUseful(headers, directives) ? .yes : .no(.noFreshness)
        }
        guard Freshness.isHeuristicallyCacheable(status) else { return .no(.statusNotStored) }
        return isUseful(headers, directives) ? .yes : .no(.noFreshness)
    }

    private static func hasExplicitFreshness(_ headers: Headers, _ directives: ResponseDirectives) -> Bool {
        directives.maxAge != nil || headers.contains("Expires")
    }

    /// Returns whether the response can be used later: while fresh, after revalidation, or stale after a failure.
    private static func isUseful(_ headers: Headers, _ directives: ResponseDirectives) -> Bool {
        if headers.contains("ETag") || headers.contains("Last-Modified") { return true }
        return hasExplicitFreshness(headers, directives) && !directives.flags.contains(.noCache)
    }

    private static func isItsOwnLocation(_ request: HTTPRequest, _ headers: Headers) -> Bool {
        guard let location = headers["Content-Location"] else { return false }
        return Invalidation.target(location, of: request.url)
            .map { RequestURL.normalized($0) == RequestURL.normalized(request.url) } ?? false
    }

    /// Returns whether the cache understands a status, for `must-understand` (5.2.2.3).
    static func isUnderstood(_ status: HTTPStatus) -> Bool {
        switch status.code {
        case 200...206, 300...304, 307, 308, 400...417, 421, 422, 425, 426, 428, 429, 431, 451, 500...505, 511: true
        default: false
        }
    }
}
