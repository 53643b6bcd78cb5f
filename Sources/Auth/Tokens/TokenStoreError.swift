/// The error of a ``TokenStore``.
public struct TokenStoreError: Error, Sendable, CustomStringConvertible {
    /// The kind of error. More codes may be added, so a `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code.
        public let description: String

        private init(_ name: String) {
            description = name
        }

        /// The stored token is damaged. A damaged file has been renamed, so the next use finds no token.
        public static let damaged = Code("damaged")
        /// The file was encrypted with another key. It is unchanged.
        public static let wrongKey = Code("wrongKey")
        /// The key does not have 32 bytes.
        public static let badKey = Code("badKey")
        /// The file belongs to another user, or is not a file.
        public static let foreign = Code("foreign")
        /// Another process, or another store of this one, has locked the token for too long.
        public static let busy = Code("busy")
        /// The user has not unlocked the device since its start, so that the keychain cannot be used yet.
        public static let locked = Code("locked")
        /// A call of the system has failed.
        public static let system = Code("system")
        /// The system has no library for encryption.
        public static let noLibrary = Code("noLibrary")
    }

    /// The kind of error.
    public let code: Code
    /// The problem, and how to solve it.
    public let message: String

    /// Creates an error, for stores of your own.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { "\(code): \(message)" }
}

extension TokenStoreError: DescribedError {}
