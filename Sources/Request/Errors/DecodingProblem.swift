/// Why a body could not be decoded: where in it, what was expected there and what was found.
///
/// Its description shows nothing of the body, which may hold anybody's data. The excerpt is in ``debugDescription``.
public struct DecodingProblem: Error, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The way to the place from the top, as in `users[3].name`; empty for the top itself.
    public var path: String
    /// What was to be there, as in `Int`.
    public var expected: String
    /// What was there, as in `a string`.
    public var found: String
    /// At most 200 characters of the text around the place.
    public var excerpt: String
    /// What the decoder said. Its words may hold values of the body.
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
