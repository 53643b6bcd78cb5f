/// The URLs of a service: an origin, such as `https://api.example.com`, and the beginning of a path if it needs one.
///
/// ```text
/// https://api.example.com            all URLs of the origin
/// https://api.example.com/v2/*       those below a path, and the path itself
/// https://*.example.com              those of all subdomains, but not of example.com itself
/// http://localhost:8080/token        one path
/// ```
///
/// A pattern without a port is for the port of its scheme. A URL with segments such as `..` matches no pattern with a path,
/// because its server may find something else there.
///
/// For other rules, ``matching(_:)`` takes a closure.
public struct ServicePattern: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// A closure that decides. It is equal to itself alone.
    private final class Predicate: Hashable, Sendable {
        let includes: @Sendable (URL) -> Bool

        init(_ includes: @escaping @Sendable (URL) -> Bool) {
            self.includes = includes
        }

        static func == (one: Predicate, other: Predicate) -> Bool { one === other }

        func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(self))
        }
    }

    private let text: ExactString
    private let origin: Origin?
    /// A Boolean value that indicates whether the pattern is for the subdomains of the host.
    private let isForSubdomains: Bool
    /// The path; nil if the pattern is for all paths.
    private let path: ExactString?
    /// A Boolean value that indicates whether the pattern is also for everything below the path.
    private let isPrefix: Bool
    private let predicate: Predicate?
    /// The reason why the text is not a pattern, and how to write it; nil for a valid pattern.
    let problem: String?

    /// Creates a pattern. If the text is not a pattern, requests fail with an error that says what to change.
    public init(_ text: String) {
        self.text = ExactString(text)
        predicate = nil
        var origin = text
        var path: String?
        if let scheme = text.firstRange(of: "://"), let slash = text[scheme.upperBound...].firstIndex(of: "/") {
            origin = String(text[..<slash])
            path = String(text[slash...])
        }
        let wildcard = origin.firstRange(of: "://*.")
        isForSubdomains = wildcard != nil
        if let wildcard { origin.replaceSubrange(wildcard, with: "://") }
        if path == "/" || path == "/*" { path = nil }
        isPrefix = path?.hasSuffix("/*") ?? false
        if isPrefix { path?.removeLast(2) }
        self.path = path.map(ExactString.init)
        switch Origin.parse(origin) {
        case .success(let valid):
            self.origin = valid
            let isValid = path.map { !$0.contains("*") && !$0.contains("?") && !$0.contains("#") } ?? true
            problem =
                isValid
                ? nil
                : "the service \(RequestURL.shown(text)) has `*`, `?` or `#` within its path: write a path, with `/*` at "
                    + "its end for everything below it"
        case .failure:
            self.origin = nil
            problem =
                "the service \(RequestURL.shown(text)) is not a URL pattern: begin it with a scheme and a host, as in "
                + "https://api.example.com/v2/*"
        }
    }

    public init(stringLiteral text: String) {
        self.init(text)
    }

    private init(_ predicate: Predicate) {
        text = ExactString("the URLs that a closure selects")
        origin = nil
        isForSubdomains = false
        path = nil
        isPrefix = false
        self.predicate = predicate
        problem = nil
    }

    /// Returns the pattern of the URLs for which a closure returns true.
    ///
    /// ```swift
    /// let partners = ServicePattern.matching { url in
    ///     url.scheme == "https" && url.host()?.hasSuffix(".partner.example.com") == true
    /// }
    /// ```
    ///
    /// Check the scheme and the whole end of the host, because the URLs that match receive credentials. The closure runs on
    /// the thread that starts a request, and again for each redirect, so it must be quick. It gets valid HTTP URLs only.
    public static func matching(_ predicate: @escaping @Sendable (URL) -> Bool) -> ServicePattern {
        ServicePattern(Predicate(predicate))
    }

    /// Returns whether a URL belongs to the service.
    public func matches(_ url: URL) -> Bool {
        guard problem == nil, let origin = Origin(url) else { return false }
        if let predicate { return predicate.includes(url) }
        guard let pattern = self.origin, origin.scheme == pattern.scheme, origin.port == pattern.port else {
            return false
        }
        let isHost =
            isForSubdomains
            ? origin.host.utf8.count > pattern.host.utf8.count + 1 && origin.host.hasSuffix("." + pattern.host)
            : origin.host == pattern.host
        guard isHost, let path else { return isHost }
        return matches(path: ResponseKey.plainURL(url), path.text)
    }

    private func matches(path url: String, _ pattern: String) -> Bool {
        let parts = URLParts(url[...])
        let path = parts.path
        guard !Self.hasDots(path) else { return false }
        if path.utf8.elementsEqual(pattern.utf8) { return true }
        return isPrefix && path.utf8.starts(with: (pattern + "/").utf8)
    }

    /// Returns whether a server may resolve segments of a path, such as `..`, also if they or their slashes are encoded.
    private static func hasDots(_ path: Substring) -> Bool {
        guard path.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") }) else { return false }
        let decoded = path.lowercased().replacing("%2e", with: ".").replacing("%2f", with: "/")
            .replacing("%5c", with: "/").replacing("\\", with: "/")
        return decoded.utf8.split(separator: UInt8(ascii: "/")).contains {
            $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8)
        }
    }

    public var description: String { text.text }
}
