#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is no longer right after a request that changes something (RFC 9111, 4.4).
enum Invalidation {
    /// The URLs of which nothing may be kept: the request's, and those of the same origin that the response names.
    static func urls(method: HTTPMethod, url: URL, status: HTTPStatus, headers: Headers) -> [URL] {
        guard !method.isSafe, status.isSuccess || status.isRedirection else { return [] }
        var urls = [url]
        let origin = origin(of: url)
        for name in ["Location", "Content-Location"] {
            guard let location = headers[name], let other = target(location, of: url), origin == Self.origin(of: other)
            else { continue }
            urls.append(other)
        }
        return urls
    }

    /// Whether a response wants everything of its site forgotten: `Clear-Site-Data` with `"cache"` or `"*"`.
    static func clearsSite(_ headers: Headers) -> Bool {
        FieldList.elements(of: headers.all("Clear-Site-Data")).contains { $0 == "\"cache\"" || $0 == "\"*\"" }
    }

    /// Where a reference in a response to a request for a URL leads.
    static func target(_ location: String, of url: URL) -> URL? {
        location.isEmpty ? url : URL(string: location, relativeTo: url)?.absoluteURL
    }

    /// Scheme, host and port, as far as they make a difference.
    static func origin(of url: URL) -> String? {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let scheme = parts.scheme?.lowercased(),
            let host = parts.host?.lowercased()
        else { return nil }
        let port = parts.port ?? (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(host):\(port)"
    }
}
