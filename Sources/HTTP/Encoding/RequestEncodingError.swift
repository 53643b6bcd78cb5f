/// An error in a URL, a query, a form or a body that cannot be encoded.
///
/// The message names the problem. It never contains a password or the values of a query.
public struct RequestEncodingError: Error, Sendable {
    /// The kind of problem. More codes may be added, so a `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code.
        public let description: String

        private init(_ name: String) {
            description = name
        }

        /// The path is relative, and there is no base URL.
        public static let noBase = Code("noBase")
        /// The URL has no scheme.
        public static let noScheme = Code("noScheme")
        /// The scheme of the URL is neither http nor https.
        public static let unsupportedScheme = Code("unsupportedScheme")
        /// The URL has no host, or an invalid one.
        public static let badHost = Code("badHost")
        /// The port of the URL is not a number from 1 to 65535.
        public static let badPort = Code("badPort")
        /// A control character, such as a line break, occurs where it is not allowed.
        public static let controlCharacter = Code("controlCharacter")
        /// A segment of the path is `.` or `..`, also in percent-encoded form.
        public static let dotSegment = Code("dotSegment")
        /// The URL is invalid for another reason.
        public static let badURL = Code("badURL")
        /// A value cannot be encoded, such as an infinite number.
        public static let unsupportedValue = Code("unsupportedValue")
        /// The value has no field names: it is an array or a single value.
        public static let noNames = Code("noNames")
        /// Values are nested too deeply, or refer to each other in a cycle.
        public static let tooDeep = Code("tooDeep")
        /// A header of a part, its type or the boundary is malformed.
        public static let badHeader = Code("badHeader")
        /// The file to send does not exist.
        public static let fileMissing = Code("fileMissing")
        /// The file to send cannot be read, is a folder, or is not a regular file.
        public static let fileUnreadable = Code("fileUnreadable")
        /// The length of a file has changed since the length of the body was determined.
        public static let fileChanged = Code("fileChanged")
    }

    /// The kind of problem.
    public let code: Code

    /// The problem, and how to solve it.
    public let message: String

    /// The underlying error, if there is one.
    public let underlying: (any Error)?

    init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }
}

extension RequestEncodingError: CustomStringConvertible {
    public var description: String { "\(code): \(message)" }
}
