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
