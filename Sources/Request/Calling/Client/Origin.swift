/// The scheme, the host and the port of a URL (RFC 6454).
///
/// Scheme and host are in lower case, and a missing port is the one of the scheme. Nothing else is normalised. As in
/// browsers, a host with a dot at its end, or an address in another notation, is another origin.
package struct Origin: Hashable, Sendable {
    package let scheme: String
    package let host: String
    package let port: UInt16

    /// The origin of a URL, or nil if it is not an HTTP URL with a plain ASCII host.
    ///
    /// The text of the URL decides, because `URL.host` is decoded: a host with `%` in it has no origin.
    @inline(never)
    package init?(_ url: URL) {
        self.init(URLParts(url.absoluteString[...]))
    }

    fileprivate init?(_ parts: URLParts) {
        guard let scheme = parts.scheme?.lowercased(), let defaultPort = Self.defaultPorts[scheme],
            let authority = parts.authority, authority.hasValidHost
        else { return nil }
        self.scheme = scheme
        host = authority.host.lowercased()
        guard let text = authority.port, !text.isEmpty else {
            port = defaultPort
            return
        }
        guard text.utf8.allSatisfy(\.isDigit), let number = UInt16(text), number > 0 else { return nil }
        port = number
    }

    private static let defaultPorts: [String: UInt16] = ["http": 80, "https": 443]
}

extension Origin {
    /// Reads an origin as a user writes it: `https://cdn.example.com` or `http://localhost:8080`.
    ///
    /// The error says what is wrong with the text, and how to write it.
    package static func parse(_ text: String) -> Result<Origin, Problem> {
        func problem(_ reason: String) -> Result<Origin, Problem> {
            .failure(Problem(text: "trustedOrigins has \(RequestURL.shown(text)), \(reason)"))
        }
        let parts = URLParts(text[...])
        guard parts.scheme != nil, let authority = parts.authority else {
            return problem("which has no scheme: write it as in https://cdn.example.com")
        }
        guard authority.userinfo == nil, parts.path.isEmpty || parts.path == "/", parts.query == nil,
            parts.fragment == nil
        else { return problem("which is more than an origin: write scheme, host and port alone") }
        guard let origin = Origin(parts) else {
            return problem(
                "which is not an origin of HTTP: write http or https, a host in ASCII, and a valid port if needed")
        }
        return .success(origin)
    }

    /// The reason why a text is not an origin, and how to write one.
    package struct Problem: Error {
        let text: String
    }
}

/// Decides which URLs receive the credentials that a client adds by itself.
///
/// They go to the origin of the base URL and to the origins that the client trusts. Requests for other URLs are sent
/// without the client's `Authorization`, `Cookie` and every other header that ``Redaction`` hides.
///
/// The rule knows nothing of requests or calls, so that every stage that adds credentials can use it.
package struct OriginRule: Sendable {
    private let origins: Set<Origin>
    /// The reason why an entry of the trusted origins is not an origin, and how to write it; nil if all of them are.
    let problem: String?

    /// Creates the rule of a client. Without a base URL and without trusted origins, no URL receives credentials.
    init(baseURL: URL?, trustedOrigins: [String]) {
        var origins = Set<Origin>()
        var problem: String?
        if let origin = baseURL.flatMap(Origin.init) { origins.insert(origin) }
        for text in trustedOrigins {
            switch Origin.parse(text) {
            case .success(let origin): origins.insert(origin)
            case .failure(let bad): problem = problem ?? bad.text
            }
        }
        self.origins = origins
        self.problem = problem
    }

    /// A Boolean value that indicates whether there is any URL that receives credentials.
    var hasOrigins: Bool { !origins.isEmpty }

    /// Returns whether a URL receives the credentials of the client.
    package func allowsCredentials(for url: URL) -> Bool {
        Origin(url).map(origins.contains) ?? false
    }
}

extension Headers {
    /// Returns the headers without those that hold credentials: the common ones, and those that a client redacts.
    func withoutCredentials(_ redaction: Redaction?) -> Headers {
        Headers(
            fields: fields.filter { field in
                !Redaction.standard.hides(header: field.name) && redaction?.hides(header: field.name) != true
            })
    }
}
