/// An error in a URL, a query, a form or a body that cannot be encoded.
///
/// The message names the problem. It never contains a password or the values of a query.
package struct RequestEncodingError: Error, Sendable {
    /// The kind of problem.
    package enum Code: String, Sendable {
        /// The path is relative, and there is no base URL.
        case noBase
        /// The URL has no scheme.
        case noScheme
        /// The scheme of the URL is neither http nor https.
        case unsupportedScheme
        /// The URL has no host, or an invalid one.
        case badHost
        /// The port of the URL is not a number from 1 to 65535.
        case badPort
        /// A control character, such as a line break, occurs where it is not allowed.
        case controlCharacter
        /// A segment of the path is `.` or `..`, also in percent-encoded form.
        case dotSegment
        /// The URL is invalid for another reason.
        case badURL
        /// A value cannot be encoded, such as an infinite number.
        case unsupportedValue
        /// The value has no field names: it is an array or a single value.
        case noNames
        /// Values are nested too deeply, or refer to each other in a cycle.
        case tooDeep
        /// A header of a part, its type or the boundary is malformed.
        case badHeader
        /// The file to send does not exist.
        case fileMissing
        /// The file to send cannot be read, is a folder, or is not a regular file.
        case fileUnreadable
        /// The length of a file has changed since the length of the body was determined.
        case fileChanged
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
    package var description: String { "\(code.rawValue): \(message)" }
}
