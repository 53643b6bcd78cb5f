/// A pattern for URLs: a path such as `/users/{id}`, or a whole URL.
struct MockPattern: Sendable {
    enum Segment: Hashable, Sendable {
        case text(String)
        /// `{name}` or `*`: any one segment.
        case any
        /// `**`: any number of segments.
        case rest
    }

    let text: String
    /// The path of the pattern, for texts.
    let path: String
    /// The scheme, the host and the port; nil if any are allowed.
    let origin: String?
    /// The segments of the path. Those of a path without a server follow any others, because the base URL of a client may have
    /// a path of its own.
    let segments: [Segment]
    /// The items that a query must have, as `name=value`.
    let query: [String]

    init(_ text: String) throws(MockProblem) {
        self.text = text
        let parts = URLParts(text[...])
        path = String(parts.path)
        origin = try Self.origin(parts, text)
        segments = (origin == nil ? [.rest] : []) + (try Self.segments(of: parts.path, text))
        query = parts.queryItems
    }

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

    /// Returns whether the pattern matches the segments of a path.
    ///
    /// Of several `**`, only the newest one takes more segments when the rest does not match, so the time does not grow with
    /// their number.
    func matches(_ path: [String]) -> Bool {
        var (place, index) = (0, 0)
        var rest: (place: Int, index: Int)?
        while place < path.count {
            if index < segments.count, segments[index] == .rest {
                index += 1
                rest = (place, index)
            } else if index < segments.count, segments[index].matches(path[place]) {
                index += 1
                place += 1
            } else {
                guard let last = rest else { return false }
                (place, index) = (last.place + 1, last.index)
                rest?.place = place
            }
        }
        return segments[index...].allSatisfy { $0 == .rest }
    }
}

extension MockPattern.Segment {
    fileprivate func matches(_ segment: String) -> Bool {
        switch self {
        case .text(let text): segment.hasSameBytes(as: text)
        case .any: !segment.isEmpty
        case .rest: true
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

/// A request as stubs are compared with it. Its URL is parsed once for all of them.
struct MockTarget {
    let request: HTTPRequest
    /// The class of the request.
    let type: Any.Type?
    let origin: String?
    let segments: [String]
    let queryItems: [String]

    init(_ request: HTTPRequest, _ type: Any.Type?) {
        self.request = request
        self.type = type
        let parts = URLParts(request.url.absoluteString[...])
        origin = parts.origin
        segments = parts.segments
        queryItems = parts.queryItems
    }
}

extension URLParts {
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
