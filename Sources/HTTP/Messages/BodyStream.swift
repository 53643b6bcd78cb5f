import Synchronization

/// The body of a response while it arrives: portions of bytes, which are read once.
///
/// The stream has back-pressure: if the reader waits, the server waits. Leaving the loop early, or releasing the
/// stream, closes the connection.
///
/// A body has one reader. A second loop over the same body, at the same time or later, throws
/// ``RequestError/Code/bodyAlreadyRead`` at once and does not affect the first. To use portions twice, store them.
public struct BodyStream: AsyncSequence, Sendable {
    /// The information that is available when a body has ended.
    public struct Ending: Sendable {
        /// The fields after the body, if the transport supports them.
        public var trailers: Headers
        /// The metrics of the complete exchange.
        public var metrics: AttemptMetrics

        public init(trailers: Headers = [:], metrics: AttemptMetrics = AttemptMetrics()) {
            self.trailers = trailers
            self.metrics = metrics
        }
    }

    struct Excess: Error {
        let limit: Int
    }

    package let source: any BodySource
    /// The claim that all copies share.
    private let claim = Claim()

    /// Creates a stream from a source that a transport or an interceptor provides.
    public init(_ source: any BodySource) {
        self.source = source
    }

    /// Creates a stream from a body in memory.
    public init(_ data: Data) {
        source = PresentBody(data)
    }

    /// The trailers and metrics; nil until the last portion has been read.
    public var ending: Ending? { source.ending }

    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: reader())
    }

    /// Returns the reader of the body. Further readers only throw.
    package func reader() -> Reader {
        Reader(claim.isFirst() ? source : nil)
    }

    /// Stops reading, and closes the connection unless the body has ended.
    public func cancel() {
        source.cancel()
    }

    /// Reads the rest of the body.
    func collect(upTo limit: Int?) async throws -> Data {
        let reader = reader()
        defer { reader.end() }
        var all = Data()
        while let portion = try await reader.next() {
            if let limit, portion.count > limit - all.count { throw Excess(limit: limit) }
            if all.isEmpty { all = portion } else { all.append(portion) }
        }
        return all
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reader: Reader

        public mutating func next() async throws -> Data? {
            try await reader.next()
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            try await reader.next()
        }
    }

    /// The right to read a body. Releasing it cancels the source.
    package final class Reader: Sendable {
        /// The source; nil if the body has another reader.
        private let source: (any BodySource)?

        fileprivate init(_ source: (any BodySource)?) {
            self.source = source
        }

        deinit {
            end()
        }

        /// A Boolean value that indicates whether the body has no other reader.
        package var isOnly: Bool { source != nil }

        package func next() async throws -> Data? {
            guard let source else {
                throw RequestError(
                    .bodyAlreadyRead, phase: .receive,
                    detail: "the body has, or had, another reader: read it once, and keep the parts that you need twice"
                )
            }
            return try await source.next()
        }

        package func end() {
            source?.cancel()
        }

        /// Ends the body because its reader cannot use it.
        func fail(_ error: any Error) {
            source?.fail(error)
        }
    }

    /// A flag that grants the body to the first reader.
    private final class Claim: Sendable {
        private let isTaken = Atomic(false)

        func isFirst() -> Bool {
            !isTaken.exchange(true, ordering: .relaxed)
        }
    }
}

/// A source of portions for a ``BodyStream``, implemented by transports, and by interceptors that change a body.
///
/// Only one task at a time reads from it.
public protocol BodySource: AnyObject, Sendable {
    /// Returns the next portion, which is never empty, or nil at the end. After an error, every call throws the same
    /// error.
    func next() async throws -> Data?
    /// Cancels the body. It is also called at the end, and possibly several times.
    func cancel()
    /// Cancels the body because its reader cannot use it, for example because a line is not the expected value. By default,
    /// this calls ``cancel()``.
    func fail(_ error: any Error)
    /// The trailers and metrics; nil until `next` has returned nil.
    var ending: BodyStream.Ending? { get }
}

extension BodySource {
    public func fail(_ error: any Error) { cancel() }
}

extension BodyStream: CustomStringConvertible {
    public var description: String { "a streamed body" }
}
