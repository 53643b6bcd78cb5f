#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The body of a response while it arrives: portions of bytes, read once, at the reader's pace.
///
/// What is not read is not fetched: a reader that waits makes the server wait. A loop that is left early, and a stream
/// that is released, closes the connection.
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
        Iterator(lease: Lease(source))
    }

    /// Leaves the body where it is, and closes the connection unless it has ended.
    public func cancel() {
        source.cancel()
    }

    /// Reads all that is left.
    func collect(upTo limit: Int?) async throws -> Data {
        let lease = Lease(source)
        defer { lease.end() }
        var all = Data()
        while let portion = try await source.next() {
            if let limit, portion.count > limit - all.count { throw Excess(limit: limit) }
            if all.isEmpty { all = portion } else { all.append(portion) }
        }
        return all
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let lease: Lease

        public mutating func next() async throws -> Data? {
            try await lease.source.next()
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            try await lease.source.next()
        }
    }

    /// Held by whoever reads: when it goes, the body is left.
    fileprivate final class Lease: Sendable {
        let source: any BodySource

        init(_ source: any BodySource) {
            self.source = source
        }

        func end() {
            source.cancel()
        }

        deinit {
            source.cancel()
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
