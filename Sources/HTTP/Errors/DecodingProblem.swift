/// The reason why a body could not be decoded: the place, the expected type and the type that was found.
///
/// The description contains no part of the body, because the body may hold personal data. Only ``debugDescription``
/// contains the excerpt.
public struct DecodingProblem: Error, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The path from the top to the place, such as `users[3].name`; empty for the top itself.
    public var path: String
    /// The expected type, such as `Int`.
    public var expected: String
    /// The type that was found, such as `a string`.
    public var found: String
    /// At most 200 characters of the text around the place.
    public var excerpt: String
    /// The error of the decoder. Its text may contain values of the body.
    public var cause: DecodingError?

    public init(path: String, expected: String, found: String, excerpt: String = "", cause: DecodingError? = nil) {
        self.path = path
        self.expected = expected
        self.found = found
        self.excerpt = excerpt
        self.cause = cause
    }

    public var description: String {
        "expected \(expected) at \(path.isEmpty ? "the top" : path), found \(found)"
    }

    public var debugDescription: String {
        excerpt.isEmpty ? description : "\(description), in \(excerpt.debugDescription)"
    }
}

extension DecodingProblem {
    /// Converts the error of a decoder. The descriptions contain no values of the body.
    package init(_ error: DecodingError, format: String, body: Data) {
        let way: [any CodingKey]
        switch error {
        case .typeMismatch(let type, let context):
            way = context.codingPath
            expected = Self.name(of: type)
        case .valueNotFound(let type, let context):
            way = context.codingPath
            expected = Self.name(of: type)
        case .keyNotFound(let key, let context):
            way = context.codingPath + [key]
            expected = "a value"
        case .dataCorrupted(let context):
            way = context.codingPath
            expected = way.isEmpty ? format : "another value"
        @unknown default:
            way = []
            expected = format
        }
        path = way.text
        cause = error
        let place = JSONPlace(of: way, in: body)
        if case .dataCorrupted = error, way.isEmpty, format == "JSON", Self.isJSON(body) {
            // The decoder does not report a place here, for example if it finds 1.5 instead of an Int.
            path = "an unknown place"
            expected = "a number that fits its type"
            found = "another number"
            excerpt = JSONPlace.excerpt(of: body, around: 0)
        } else if case .dataCorrupted = error, way.isEmpty {
            found = JSONPlace.looksLikeMarkup(body) ? "HTML or XML" : "something else"
            excerpt = JSONPlace.excerpt(of: body, around: 0)
        } else if case .keyNotFound = error {
            found = "nothing"
            excerpt = JSONPlace.excerpt(of: body, around: JSONPlace(of: way.dropLast(), in: body)?.start ?? 0)
        } else {
            found = place?.kind ?? "something else"
            excerpt = JSONPlace.excerpt(of: body, around: place?.start ?? 0)
        }
    }

    private static func isJSON(_ body: Data) -> Bool {
        (try? JSONDecoder().decode(JSONValue.self, from: body)) != nil
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is [String: Any].Type: "an object"
        case is [Any].Type: "an array"
        case is Date.Type: "a date in ISO 8601"
        default: "\(type)"
        }
    }
}
