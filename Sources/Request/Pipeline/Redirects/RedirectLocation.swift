/// The URL that a `Location` field names (RFC 9110, 10.2.2).
enum RedirectLocation {
    /// Why a location cannot be followed, as a text.
    struct Problem: Error {
        let text: String
    }

    /// Returns the URL of a location, resolved against the URL of the request (RFC 3986, 5.2).
    ///
    /// A user name and a password in the location are left out. Characters that a URL cannot have are encoded.
    static func url(_ location: String, from base: URL) throws(Problem) -> URL {
        do {
            return try RequestURL.make(base: nil, path: text(location, URLParts(base.absoluteString[...])))
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(text: "its Location \(RequestURL.shown(location)) is not a URL: \(error)")
        }
    }

    private static func text(_ location: String, _ base: URLParts) throws -> String {
        let parts = URLParts(location[...])
        var result = base
        result.fragment = parts.fragment ?? base.fragment
        if let scheme = parts.scheme {
            guard ["http", "https"].contains(scheme.lowercased()), parts.authority != nil else {
                throw Problem(text: "its Location \(RequestURL.shown(location)) is no URL of http or https")
            }
            result.scheme = scheme
        }
        if let authority = parts.authority {
            guard !authority.host.isEmpty else {
                throw Problem(text: "its Location \(RequestURL.shown(location)) has no host")
            }
            result.authority = authority
            result.authority?.userinfo = nil
            result.path = parts.path
            result.query = parts.query
        } else if !parts.path.isEmpty {
            result.path = parts.path.utf8.first == UInt8(ascii: "/") ? parts.path : merged(parts.path, base.path)
            result.query = parts.query
        } else if let query = parts.query {
            result.query = query
        }
        return result.text
    }

    /// Returns a relative path after the folder of another path.
    private static func merged(_ path: Substring, _ base: Substring) -> Substring {
        guard let slash = base.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "/" + path }
        return base[...slash] + path
    }
}

extension URLParts {
    fileprivate var text: String {
        var text = (scheme.map { $0 + ":" } ?? "") + "//"
        if let authority {
            if let userinfo = authority.userinfo { text += userinfo + "@" }
            text += authority.host
            if let port = authority.port { text += ":" + port }
        }
        text += path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return String(text)
    }
}
