extension Answer {
    /// The bytes of a body.
    public enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// Chunks as given; `isEnded` says whether the last chunk, the empty one, follows.
        case chunks([Chunk], isEnded: Bool)
        /// So many bytes, of which byte `i` is `i % 251`. They are never in memory together.
        case generated(bytes: Int)
        /// Bytes that are made while they are sent.
        case stream(@Sendable (AnswerWriter) async throws -> Void)
        /// The whole answer, head and all. Status and headers do not count.
        case raw([UInt8])
    }

    /// How the client learns where a body ends.
    public enum Framing: Sendable, Equatable {
        /// By its length where that is known, else by chunks.
        case automatic
        /// By chunks of at most some size.
        case chunked(size: Int)
        /// By the end of the connection.
        case untilClose
    }

    /// A part of a chunked body.
    public struct Chunk: Sendable, ExpressibleByStringLiteral {
        /// What stands on the line before the bytes; nil for their number.
        public var size: String?
        public var bytes: [UInt8]

        public init(_ bytes: some Sequence<UInt8>, size: String? = nil) {
            self.bytes = Array(bytes)
            self.size = size
        }

        public init(_ text: String, size: String? = nil) {
            self.init(text.utf8, size: size)
        }

        public init(stringLiteral text: String) {
            self.init(text)
        }
    }
}
