/// The rules by which unsafe requests (RFC 9111, 4.4) and `Clear-Site-Data` make cached responses obsolete.
enum Invalidation {
    /// Returns the URLs whose cached responses an unsafe request makes obsolete: its own URL, and those of the same
    /// origin that the response names.
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

    /// Returns whether a response requires an empty cache for its site: `Clear-Site-Data` with `"cache"` or `"*"`.
    static func clearsSite(_ headers: Headers) -> Bool {
        FieldList.elements(of: headers.all("Clear-Site-Data")).contains { $0 == "\"cache\"" || $0 == "\"*\"" }
    }

    /// Returns the URL of a reference in a response, relative to the URL of the request.
    static func target(_ location: String, of url: URL) -> URL? {
        location.isEmpty ? url : URL(string: location, relativeTo: url)?.absoluteURL
    }

    /// Returns the scheme, host and port of a URL in a normalized form.
    static func origin(of url: URL) -> String? {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let scheme = parts.scheme?.lowercased(),
            let host = parts.host?.lowercased()
        else { return nil }
        let port = parts.port ?? (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(host):\(port)"
    }
}
