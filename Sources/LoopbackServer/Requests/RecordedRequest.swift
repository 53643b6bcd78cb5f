/// A request as the server received it.
///
/// It stores the bytes. Each property parses them when it is read.
public struct RecordedRequest: Sendable {
    /// The part after the head.
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
        let place: Place

        init(_ bytes: [UInt8], _ head: RequestHead?, _ content: Content, _ problem: Problem?, _ place: Place) {
            self.bytes = bytes
            self.head = head
            self.content = content
            self.problem = problem
            self.place = place
        }
    }

    /// The connection, position and time of a request.
    struct Place: Sendable {
        var connection: Int
        var exchange: Int
        var received: ContinuousClock.Instant
        var tunnel: String?
    }

    /// The reason why a request is not complete and valid.
    public enum Problem: Sendable, Equatable {
        /// The bytes are not HTTP, with the reason. The status of the response is 400, or 431 if the head is too large.
        /// The connection closes.
        case malformed(String)
        /// The body is not complete: the client left, a fault struck, or the response did not wait for the body.
        case incomplete
    }

    private let storage: Storage

    init(_ bytes: [UInt8], _ head: RequestHead?, _ content: Content, _ problem: Problem?, _ place: Place) {
        storage = Storage(bytes, head, content, problem, place)
    }

    /// The problem of the request; nil if the request is complete and valid.
    public var problem: Problem? { storage.problem }

    /// The number of the connection, counted from 0 in the order of acceptance.
    ///
    /// Requests with the same number came over the same connection, so a test can check that a client reuses it.
    public var connection: Int { storage.place.connection }

    /// The number of requests that came over the same connection before this one.
    public var exchange: Int { storage.place.exchange }

    /// The time when the head of the request had been read.
    public var received: ContinuousClock.Instant { storage.place.received }

    /// The target of the `CONNECT` request that opened the tunnel of this request; nil if there was none.
    public var tunnel: String? { storage.place.tunnel }

    // MARK: The head

    /// The bytes of the head, with the empty line that ends it, or the received bytes if the head is malformed.
    public var head: [UInt8] { storage.bytes }

    /// The method, such as `GET`; empty if the head is malformed.
    public var method: String { part { $0.methodStart..<$0.methodEnd } }

    /// The target as received: `/users?page=1`, `http://host/users` if the client uses this server as a proxy, or `*`.
    public var target: String { part { $0.targetStart..<$0.targetEnd } }

    /// The path of the target as received, without percent-decoding.
    public var path: String {
        let path = part { $0.pathStart..<$0.pathEnd }
        return path.isEmpty && storage.head != nil ? "/" : path
    }

    /// The part after the question mark of the target; nil if there is none.
    public var query: String? {
        guard let head = storage.head, head.pathEnd < head.targetEnd else { return nil }
        return part { ($0.pathEnd + 1)..<$0.targetEnd }
    }

    /// The version, `HTTP/1.1` or `HTTP/1.0`; empty if the head is malformed.
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

    /// The recorded part of the body: see ``LoopbackServer/BodyRecording``.
    public var body: Data { storage.content.body }

    /// The recorded part of the body as text.
    public var text: String { Text.string(storage.content.body) }

    /// The number of received bytes of the body, recorded or not.
    public var bodyCount: Int { storage.content.count }

    /// The digest of the received body, recorded or not. Compare it with `ContentDigest(bytes)`.
    public var bodyDigest: ContentDigest { storage.content.digest ?? ContentDigest(storage.content.body) }

    /// The sizes of the chunks of the body; empty if it had a length.
    public var chunkSizes: [Int] { storage.content.chunkSizes }

    /// The header lines after the last chunk.
    public var trailers: HeaderLines { storage.content.trailers }
}

extension RecordedRequest: CustomStringConvertible {
    /// `GET /users/1 (connection 0, exchange 2)`.
    public var description: String {
        let place = "(connection \(connection), exchange \(exchange))"
        return switch problem {
        case .malformed(let reason): "malformed: \(reason) \(place)"
        case .incomplete: "\(method) \(target), incomplete \(place)"
        case nil: "\(method) \(target) \(place)"
        }
    }
}
