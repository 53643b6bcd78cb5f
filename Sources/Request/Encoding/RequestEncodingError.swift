/// Why a URL, a query, a form or a body could not be made from what was given.
///
/// Its message names what was wrong, and never holds a password or the values of a query.
public struct RequestEncodingError: Error, Sendable {
    /// What kind of thing was wrong. More may be added: a `switch` needs a `default`.
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
        /// The URL has no host, or one that no host can have.
        public static let badHost = Code("badHost")
        /// The port of the URL is not a number from 1 to 65535.
        public static let badPort = Code("badPort")
        /// There is a control character, such as a line break, where none can be.
        public static let controlCharacter = Code("controlCharacter")
        /// A segment of the path is `.` or `..`, as it is or encoded.
        public static let dotSegment = Code("dotSegment")
        /// The URL is not one for another reason.
        public static let badURL = Code("badURL")
        /// A value has no form in which it can be sent, such as a number that is infinite.
        public static let unsupportedValue = Code("unsupportedValue")
        /// What was to be encoded has no names: it is an array or a single value.
        public static let noNames = Code("noNames")
        /// Values are nested too deeply, or in a circle.
        public static let tooDeep = Code("tooDeep")
        /// A header of a part, its type or the boundary is malformed.
        public static let badHeader = Code("badHeader")
        /// A file to be sent is not there.
        public static let fileMissing = Code("fileMissing")
        /// A file to be sent cannot be read, is a folder, or is no plain file.
        public static let fileUnreadable = Code("fileUnreadable")
        /// The length of a file has changed since the length of the body was determined.
        public static let fileChanged = Code("fileChanged")
    }

    /// What kind of thing was wrong.
    public let code: Code

    /// What was wrong, and what can be done about it.
    public let message: String

    /// The error that was behind it, if there was one.
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
