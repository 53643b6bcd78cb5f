/// Why a store could not do what it was asked to do. It has changed nothing: what it held before, it still holds.
public struct CacheError: Error, Sendable {
    /// What kind of thing went wrong. More may be added: a `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code.
        public let description: String

        /// The code with this name, for stores of your own.
        public init(_ name: String) {
            description = name
        }

        /// The entry alone is larger than the limit of the store, or the store may hold no entries.
        public static let tooLarge = Code("tooLarge")
        /// There is no room left besides pinned entries.
        public static let full = Code("full")
        /// The volume has no space left.
        public static let diskFull = Code("diskFull")
        /// The folder or its files cannot be written to.
        public static let readOnly = Code("readOnly")
        /// Another process has kept the store locked for too long.
        public static let busy = Code("busy")
        /// What is stored is damaged and could not be set aside.
        public static let damaged = Code("damaged")
        /// The operating system reported an error.
        public static let system = Code("system")
        /// The store, or the writer, has been closed.
        public static let closed = Code("closed")
        /// A value given to the store cannot be stored.
        public static let invalid = Code("invalid")
    }

    /// What kind of thing went wrong.
    public let code: Code

    /// What went wrong and what can be done about it, in one or two sentences.
    public let message: String

    /// The error that was behind it, if there was one.
    public let underlying: (any Error)?

    /// An error, for stores of your own.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }
}

extension CacheError: CustomStringConvertible {
    public var description: String { "\(code): \(message)" }
}
