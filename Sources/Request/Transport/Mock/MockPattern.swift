/// A pattern for URLs: a path such as `/users/{id}`, or a whole URL.
struct MockPattern: Sendable {
    enum Segment: Hashable, Sendable {
        case text(String)
        /// `{name}` or `*`: any one segment.
        case any
        /// `**`: any number of segments.
        case rest
    }

    /// The degree to which a path matches.
    enum Fit: Int, Comparable, Sendable {
        case none
        /// The path ends as the pattern does: the base URL of a client may have a path of its own.
        case end
        case whole

        static func < (left: Fit, right: Fit) -> Bool { left.rawValue < right.rawValue }
    }

    let text: String
    /// The scheme, the host and the port; nil if any are allowed.
    let origin: String?
    let segments: [Segment]
    /// The items that a query must have, as `name=value`.
    let query: [String]

    init(_ text: String) throws(MockProblem) {
        self.text = text
        let parts = URLParts(text[...])
        origin = try Self.origin(parts, text)
        segments = try Self.segments(of: parts.path, text)
        query = parts.queryItems
    }

    /// The path of the pattern, for texts.
    var path: String { String(URLParts(text[...]).path) }

    private static func origin(_ parts: URLParts, _ text: String) throws(MockProblem) -> String? {
        if let origin = parts.origin { return origin }
        guard parts.path.hasPrefix("/") else {
            throw MockProblem(
                "the pattern \(text.debugDescription) is invalid: begin it with a slash, or with https://")
        }
        return nil
    }

    private static func segments(of path: Substring, _ text: String) throws(MockProblem) -> [Segment] {
        var result: [Segment] = []
        for part in path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            switch part {
            case "*": result.append(.any)
            case "**": result.append(.rest)
            case _ where part.hasPrefix("{") && part.hasSuffix("}") && part.count > 2: result.append(.any)
            case _ where part.contains("{") || part.contains("}"):
                throw MockProblem(
                    "the pattern \(text.debugDescription) is invalid: braces enclose a whole segment, as in /users/{id}"
                )
            default: result.append(.text(PercentEncoding.decode(part)))
            }
        }
        return result.isEmpty ? [.text("")] : result
    }

    func fit(_ path: [String]) -> Fit {
        if matches(path[...], segments[...]) { return .whole }
        guard origin == nil else { return .none }
        return path.indices.dropFirst().contains { matches(path[$0...], segments[...]) } ? .end : .none
    }

    private func matches(_ path: ArraySlice<String>, _ pattern: ArraySlice<Segment>) -> Bool {
        guard let first = pattern.first else { return path.isEmpty }
        let rest = pattern.dropFirst()
        switch first {
        case .rest: return (path.startIndex...path.endIndex).contains { matches(path[$0...], rest) }
        case .any: return path.first.map { !$0.isEmpty } ?? false && matches(path.dropFirst(), rest)
        case .text(let text): return path.first == text && matches(path.dropFirst(), rest)
        }
    }
}

/// A mistake in a test, in words.
struct MockProblem: Error {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}

extension URLParts {
    /// The scheme, the host and the port in lower case, without the default port.
    var origin: String? {
        guard let scheme, let authority else { return nil }
        return "\(scheme.lowercased())://\(authority.withoutDefaultPort(scheme))"
    }

    /// The items of the query, decoded, as `name=value`.
    var queryItems: [String] {
        (query ?? "").split(separator: "&").map { PercentEncoding.decode($0, plusAsSpace: true) }
    }

    /// The segments of the path, decoded.
    var segments: [String] {
        guard !path.isEmpty else { return [""] }
        return path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            PercentEncoding.decode($0)
        }
    }
}
