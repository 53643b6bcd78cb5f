/// How one request is to be carried.
public struct TransportOptions: Sendable {
    /// When `send` returns.
    public enum Delivery: Hashable, Sendable {
        /// As soon as the head is there; the body follows as a stream, unless it is there as well.
        case stream
        /// When all of the body is there, up to a number of bytes; nil is no limit.
        case whole(limit: Int? = Delivery.defaultLimit)

        /// The limit of a body that is delivered as a whole, unless another is given: 256 MB. All of it is in memory at once.
        public static let defaultLimit = 256 << 20
    }

    /// How long to wait. Of calls, ``Timeouts/total`` is nil here: their client measures it.
    public var timeouts: Timeouts
    /// Whom to trust at the other end of an `https` connection.
    public var trust: ServerTrust
    /// Which compressed bodies are requested and decoded; nil is none. What a server compresses without having been asked to is
    /// bounded in any case.
    public var decompression: Decompression?
    /// Whether to return with the head, or with all of the body.
    public var delivery: Delivery
    /// Hears what happens on the way. It is called on a thread of the transport, which waits for it: return at once.
    public var onEvent: (@Sendable (TransportEvent) -> Void)?
    /// Where the transport notes how much has passed.
    public var progress: TransportProgress?

    public init(
        timeouts: Timeouts = .default, trust: ServerTrust = .system, decompression: Decompression? = Decompression(),
        delivery: Delivery = .whole(), onEvent: (@Sendable (TransportEvent) -> Void)? = nil,
        progress: TransportProgress? = nil
    ) {
        self.timeouts = timeouts
        self.trust = trust
        self.decompression = decompression
        self.delivery = delivery
        self.onEvent = onEvent
        self.progress = progress
    }
}

/// How far compressed bodies are decoded: a small one may hold gigabytes, and be meant to.
///
/// A body that was decoded loses its `Content-Encoding` and `Content-Length`, which spoke of other bytes. Requests that have
/// an `Accept-Encoding` or a `Range` of their own get what they asked for, as it is.
public struct Decompression: Hashable, Sendable {
    /// How many times as long as what was received the result may be, once it is longer than ``allowance``.
    public var ratio: Int
    /// How long a result may be without a look at the ratio.
    public var allowance: Int
    /// How long a result may be at all.
    public var limit: Int?

    public init(ratio: Int = 200, allowance: Int = 4 << 20, limit: Int? = nil) {
        self.ratio = ratio
        self.allowance = allowance
        self.limit = limit
    }

    /// The bound of a body that was not to be decoded: a server may compress it nevertheless, as a transfer coding, and a
    /// library decodes that by itself. A body that is as long as what was received is within it, whatever its length.
    package var ofOthers: Decompression { Decompression(ratio: ratio, allowance: allowance) }

    /// Whether so many bytes may come out of so many that were received.
    package func allows(_ decoded: Int, from received: Int) -> Bool {
        if let limit, decoded > limit { return false }
        guard decoded > allowance else { return true }
        return decoded / max(ratio, 1) <= max(received, 1)
    }
}

/// What happens between sending a request and its response.
public enum TransportEvent: Sendable {
    /// An interim response, 1xx, such as 103 with early hints.
    case informational(HTTPStatus, Headers)
    /// So much of the request's body has been taken from it.
    case sent(bytes: Int, of: Int?)
    /// So much of the response's body has arrived, decoded.
    case received(bytes: Int, of: Int?)
}

extension HTTPResponse {
    /// Reads the body to its end into ``body``, and takes over its trailers and metrics.
    ///
    /// A body of more than ``TransportOptions/Delivery/defaultLimit`` bytes is left, and
    /// ``RequestError/Code/responseTooLarge`` is thrown.
    public mutating func collect() async throws {
        if isStreaming { try await collect(upTo: TransportOptions.Delivery.defaultLimit) }
    }
}
