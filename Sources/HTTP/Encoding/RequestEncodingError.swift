/// An error in a URL, a query, a form or a body that cannot be encoded.
///
/// The message names the problem. It never contains a password or the values of a query.
package struct RequestEncodingError: Error, Sendable {
    /// The kind of problem. More codes may be added, so a `switch` needs a `default`.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code.
        package let description: String

        private init(_ name: String) {
            description = name
        }

        /// The path is relative, and there is no base URL.
        package static let noBase = Code("noBase")
        /// The URL has no scheme.
        package static let noScheme = Code("noScheme")
        /// The scheme of the URL is neither http nor https.
        package static let unsupportedScheme = Code("unsupportedScheme")
        /// The URL has no host, or an invalid one.
        package static let badHost = Code("badHost")
        /// The port of the URL is not a number from 1 to 65535.
        package static let badPort = Code("badPort")
        /// A control character, such as a line break, occurs where it is not allowed.
        package static let controlCharacter = Code("controlCharacter")
        /// A segment of the path is `.` or `..`, also in percent-encoded form.
        package static let dotSegment = Code("dotSegment")
        /// The URL is invalid for another reason.
        package static let badURL = Code("badURL")
        /// A value cannot be encoded, such as an infinite number.
        package static let unsupportedValue = Code("unsupportedValue")
        /// The value has no field names: it is an array or a single value.
        package static let noNames = Code("noNames")
        /// Values are nested too deeply, or refer to each other in a cycle.
        package static let tooDeep = Code("tooDeep")
        /// A header of a part, its type or the boundary is malformed.
        package static let badHeader = Code("badHeader")
        /// The file to send does not exist.
        package static let fileMissing = Code("fileMissing")
        /// The file to send cannot be read, is a folder, or is not a regular file.
        package static let fileUnreadable = Code("fileUnreadable")
        /// The length of a file has changed since the length of the body was determined.
        package static let fileChanged = Code("fileChanged")
    }

    /// The kind of problem.
    package let code: Code

    /// The problem, and how to solve it.
    package let message: String

    /// The underlying error, if there is one.
    package let underlying: (any Error)?

    init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }
}

extension RequestEncodingError: CustomStringConvertible {
    package var description: String { "\(code): \(message)" }
}
