import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The body of a response while it arrives: portions of bytes, read once, at the reader's pace.
///
/// What is not read is not fetched: a reader that waits makes the server wait. A loop that is left early, and a stream
/// that is released, closes the connection.
///
/// A body has one reader. A second loop over the same body, at the same time or later, throws
/// ``RequestError/Code/bodyAlreadyRead`` at once and leaves the first alone. Keep the portions to use them twice.
public struct BodyStream: AsyncSequence, Sendable {
    /// What is known when a body has ended.
    public struct Ending: Sendable {
        /// Fields that came behind the body, where the transport passes them on.
        public var trailers: Headers
        /// What the exchange took, to its last byte.
        public var metrics: AttemptMetrics

        public init(trailers: Headers = [:], metrics: AttemptMetrics = AttemptMetrics()) {
            self.trailers = trailers
            self.metrics = metrics
        }
    }

    struct Excess: Error {
        let limit: Int
    }

    private let source: any BodySource
    /// Shared by all copies.
    private let claim = Claim()

    /// Reads what a transport, or an interceptor, provides.
    public init(_ source: any BodySource) {
        self.source = source
    }

    /// A body that is already here.
    public init(_ data: Data) {
        source = PresentBody(data)
    }

    /// The trailers and metrics, once the last portion has been read.
    public var ending: Ending? { source.ending }

    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: reader())
    }

    /// The one reader of the body; any further one only throws.
    func reader() -> Reader {
        Reader(claim.isFirst() ? source : nil)
    }

    /// Leaves the body where it is, and closes the connection unless it has ended.
    public func cancel() {
        source.cancel()
    }

    /// Reads all that is left.
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

    /// The right to read a body. When it is released, the body is left.
    final class Reader: Sendable {
        /// Nil if the body has another reader.
        private let source: (any BodySource)?

        fileprivate init(_ source: (any BodySource)?) {
            self.source = source
        }

        deinit {
            end()
        }

        func next() async throws -> Data? {
            guard let source else {
                throw RequestError(
                    .bodyAlreadyRead, phase: .receive,
                    detail: "the body has a reader already: read it once, and keep what is needed twice")
            }
            return try await source.next()
        }

        func end() {
            source?.cancel()
        }
    }

    /// Given to the first that asks.
    private final class Claim: Sendable {
        private let isTaken = Atomic(false)

        func isFirst() -> Bool {
            !isTaken.exchange(true, ordering: .relaxed)
        }
    }
}

/// Where the portions of a ``BodyStream`` come from: implemented by transports, and by interceptors that change a body.
///
/// One task at a time reads.
public protocol BodySource: AnyObject, Sendable {
    /// The next portion, never empty; nil at the end. After an error every call throws it again.
    func next() async throws -> Data?
    /// The body is not wanted any more. Called at the end too, and possibly several times.
    func cancel()
    /// The trailers and metrics, once `next` has returned nil.
    var ending: BodyStream.Ending? { get }
}
