#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request as the server received it.
///
/// It keeps the bytes; each property reads them when it is asked for.
public struct RecordedRequest: Sendable {
    /// What follows the head.
    struct Content: Sendable {
        var body = Data()
        var count = 0
        var digest: ContentDigest?
        var chunkSizes: [Int] = []
        var trailers = HeaderLines()
    }

    private final class Storage: Sendable {
        let bytes: [UInt8]
        let head: RequestHead?
        let content: Content
        let problem: Problem?
        let connection: Int
        let exchange: Int
        let received: ContinuousClock.Instant
        let tunnel: String?

        init(_ bytes: [UInt8], _ head: RequestHead?, _ content: Content, _ problem: Problem?, _ place: Place) {
            self.bytes = bytes
            self.head = head
            self.content = content
            self.problem = problem
            connection = place.connection
            exchange = place.exchange
            received = place.received
            tunnel = place.tunnel
        }
    }

    /// Where and when a request came.
    struct Place {
        var connection: Int
        var exchange: Int
        var received: ContinuousClock.Instant
        var tunnel: String?
    }

    /// What a request lacks.
    public enum Problem: Sendable, Equatable {
        /// The bytes are not HTTP, and why. The answer is 400, and the connection is closed.
        case malformed(String)
        /// The request ended before its body did: the client went away, a fault struck, or the answer did not wait for it.
        case incomplete
    }

    private let storage: Storage

    init(_ bytes: [UInt8], _ head: RequestHead?, _ content: Content, _ problem: Problem?, _ place: Place) {
        storage = Storage(bytes, head, content, problem, place)
    }

    /// What the request lacks; nil if it came whole.
    public var problem: Problem? { storage.problem }

    /// The number of the connection, counted from 0 in the order of acceptance.
    ///
    /// Two requests with one number came over one connection: that is how to see that a client reuses it.
    public var connection: Int { storage.connection }

    /// How many requests came over the same connection before this one.
    public var exchange: Int { storage.exchange }

    /// When the head of the request had been read.
    public var received: ContinuousClock.Instant { storage.received }

    /// Where the request is going, if it came through a tunnel that `CONNECT` opened: the target of that.
    public var tunnel: String? { storage.tunnel }

    // MARK: The head

    /// The bytes of the head, with the empty line that ends it; or what came in place of one.
    public var head: [UInt8] { storage.bytes }

    /// `GET`, say; empty if the head is malformed.
    public var method: String { part { $0.method } }

    /// The target as received: `/users?page=1`, or `http://host/users` if the client takes this for a proxy, or `*`.
    public var target: String { part { $0.targetStart..<$0.targetEnd } }

    /// The path of the target, as received: percent signs are left alone.
    public var path: String {
        let path = part { $0.pathStart..<$0.pathEnd }
        return path.isEmpty && storage.head != nil ? "/" : path
    }

    /// What follows the question mark of the target; nil if there is none.
    public var query: String? {
        guard let head = storage.head, head.pathEnd < head.targetEnd else { return nil }
        return part { ($0.pathEnd + 1)..<$0.targetEnd }
    }

    /// `HTTP/1.1`, or `HTTP/1.0`.
    public var version: String { storage.head.map { "HTTP/1.\($0.minorVersion)" } ?? "" }

    /// The header lines.
    public var headers: HeaderLines {
        guard let head = storage.head else { return HeaderLines() }
        let lines = storage.bytes[head.linesStart..<(head.end - 2)]
            .split(separator: Byte.lineFeed)
            .map { HeaderLines.Line(bytes: $0.dropLast()) }
        return HeaderLines(lines)
    }

    private func part(_ range: (RequestHead) -> Range<Int>) -> String {
        guard let head = storage.head else { return "" }
        return Text.string(storage.bytes[range(head)])
    }

    // MARK: The body

    /// The body, as far as the server keeps it: see ``LoopbackServer/BodyKeeping``.
    public var body: Data { storage.content.body }

    /// The body as text.
    public var text: String { Text.string(storage.content.body) }

    /// How many bytes of the body came, kept or not.
    public var bodyCount: Int { storage.content.count }

    /// A digest of the body, kept or not. `ContentDigest(bytes)` gives the one to compare it to.
    public var bodyDigest: ContentDigest { storage.content.digest ?? ContentDigest(storage.content.body) }

    /// The sizes of the chunks that the body came in; empty if it had a length.
    public var chunkSizes: [Int] { storage.content.chunkSizes }

    /// The header lines behind the last chunk.
    public var trailers: HeaderLines { storage.content.trailers }
}

extension RequestHead {
    /// The bytes of the method. Empty lines may stand before them.
    fileprivate var method: Range<Int> { methodStart..<methodEnd }
}

extension RecordedRequest: CustomStringConvertible {
    /// `GET /users/1 (connection 0, exchange 2)`.
    public var description: String {
        switch problem {
        case .malformed(let reason): "malformed: \(reason) (connection \(connection), exchange \(exchange))"
        case .incomplete: "\(method) \(target), incomplete (connection \(connection), exchange \(exchange))"
        case nil: "\(method) \(target) (connection \(connection), exchange \(exchange))"
        }
    }
}
