/// An error of a store. The store has changed nothing: it still has its previous content.
public struct CacheError: Error, Sendable {
    /// The kind of an error. Future versions may add codes, so a `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code.
        public let description: String

        /// Creates a code with this name, for stores of your own.
        public init(_ name: String) {
            description = name
        }

        /// The entry alone is larger than the limit of the store, or the store may hold no entries.
        public static let tooLarge = Code("tooLarge")
        /// Pinned entries leave no room.
        public static let full = Code("full")
        /// The volume has no space left.
        public static let diskFull = Code("diskFull")
        /// The folder or its files cannot be written to.
        public static let readOnly = Code("readOnly")
        /// Another process has locked the store for too long.
        public static let busy = Code("busy")
        /// The stored data is damaged and could not be set aside.
        public static let damaged = Code("damaged")
        /// The operating system reported an error.
        public static let system = Code("system")
        /// The store, or the writer, has been closed.
        public static let closed = Code("closed")
        /// A value passed to the store cannot be stored.
        public static let invalid = Code("invalid")
    }

    /// The kind of the error.
    public let code: Code

    /// The cause of the error and a remedy, in one or two sentences.
    public let message: String

    /// The underlying error, if any.
    public let underlying: (any Error)?

    /// Creates an error, for stores of your own.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }
}

extension CacheError: CustomStringConvertible {
    public var description: String { "\(code): \(message)" }
}
