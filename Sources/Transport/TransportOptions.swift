/// The options with which a transport sends one request.
public struct TransportOptions: Sendable {
    /// The part of the response for which `send` waits.
    public enum Delivery: Hashable, Sendable {
        /// The head. The body follows as a stream, unless it has arrived as well.
        case stream
        /// The whole body, up to a number of bytes; nil is no limit.
        case whole(limit: Int? = Delivery.defaultLimit)

        /// The default limit of a body that is delivered as a whole: 256 MB. All of it is in memory at once.
        public static let defaultLimit = 256 << 20

        /// The error of an invalid limit; nil if it is valid.
        var problem: String? {
            guard case .whole(let limit) = self else { return nil }
            return SettingProblem.low("responseLimit", limit, least: 0, isLimit: true)
        }
    }

    /// The time limits. ``Timeouts/total`` is nil in a call, because the client measures it.
    public var timeouts: Timeouts
    /// The rules of trust for servers of `https` connections.
    public var trust: ServerTrust
    /// The limits of decoding for compressed bodies. With nil, no compressed body is requested. A body that the server
    /// compresses nevertheless is still limited.
    public var decompression: Decompression?
    /// The part of the response for which `send` waits.
    public var delivery: Delivery
    /// Observes the request. The transport calls it on one of its threads and waits for it, so it must return at once.
    /// All events are reported before `send` returns a whole response, or before the stream of the body ends.
    public var onEvent: (@Sendable (TransportEvent) -> Void)?
    /// The object in which the transport records the progress.
    public var progress: TransportProgress?
    /// The kinds of networks that the request may use, where the system knows them.
    public var networks = NetworkKinds.all
    /// The type of the request, such as `GetUser`; nil outside of a client. Transports for tests use it.
    public var requestType: Any.Type?
    /// A Boolean value that indicates whether the request must not be sent on an open connection. With the status 421, a
    /// server says that a connection is not for the host of the request.
    public var needsNewConnection = false
    /// A Boolean value that indicates whether a body is decoded although the request has an `Accept-Encoding` of its own.
    /// Downloads ask for `identity`, and some servers compress nevertheless.
    package var decodesUnrequested = false
    /// The clock of the client, for the delays of tests.
    package var clock: (any Clock<Duration>)?

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

/// The limits for decoding compressed bodies. A small body may expand to gigabytes, possibly in an attack.
///
/// A decoded body loses its `Content-Encoding` and `Content-Length`, which describe the compressed bytes. If a request
/// has an `Accept-Encoding` or a `Range` of its own, its response is not decoded.
public struct Decompression: Hashable, Sendable {
    /// The highest ratio of decoded to received bytes. It applies to results longer than ``allowance``.
    public var ratio: Int
    /// The length up to which ``ratio`` does not apply.
    public var allowance: Int
    /// The highest length of a result; nil is no limit.
    public var limit: Int?

    public init(ratio: Int = 200, allowance: Int = 4 << 20, limit: Int? = nil) {
        self.ratio = ratio
        self.allowance = allowance
        self.limit = limit
    }

    /// The error of invalid limits; nil if they are valid.
    var problem: String? {
        SettingProblem.low("Decompression.ratio", ratio)
            ?? SettingProblem.low("Decompression.allowance", allowance, least: 0)
            ?? SettingProblem.low("Decompression.limit", limit, least: 0, isLimit: true)
    }

    /// The limits of a body that should not be decoded. A server may still compress it as a transfer coding, which the
    /// library decodes by itself. A body that is not compressed is within the limits at any length.
    package var ofOthers: Decompression { Decompression(ratio: ratio, allowance: allowance) }

    /// Returns whether a number of decoded bytes is allowed for the number of received bytes.
    package func allows(_ decoded: Int, from received: Int) -> Bool {
        if let limit, decoded > limit { return false }
        guard decoded > allowance else { return true }
        return decoded / max(ratio, 1) <= max(received, 1)
    }
}

/// An event between the start of a request and the end of its response.
public enum TransportEvent: Sendable {
    /// An interim response, 1xx, such as 103 with early hints. The transports of Tango report the first 100.
    case informational(HTTPStatus, Headers)
    /// The number of bytes that have been taken from the request's body.
    case sent(bytes: Int, of: Int?)
    /// The number of decoded bytes of the response's body that have arrived.
    case received(bytes: Int, of: Int?)
}

extension HTTPResponse {
    /// Reads the body to its end into ``body``, and sets the trailers and metrics.
    ///
    /// Throws ``RequestError/Code/responseTooLarge`` if the body has more than
    /// ``TransportOptions/Delivery/defaultLimit`` bytes, and leaves the rest unread.
    public mutating func collect() async throws {
        if isStreaming { try await collect(upTo: TransportOptions.Delivery.defaultLimit) }
    }
}

extension Decompression: CustomStringConvertible {
    /// Such as `up to 200 times the received bytes above 4194304 bytes`.
    public var description: String {
        "up to \(ratio) times the received bytes above \(allowance) bytes" + (limit.map { ", at most \($0)" } ?? "")
    }
}

extension TransportOptions.Delivery: CustomStringConvertible {
    /// Such as `the whole body, up to 1024 bytes`.
    public var description: String {
        switch self {
        case .stream: "a streamed body"
        case .whole(let limit): "the whole body" + (limit.map { ", up to \($0) bytes" } ?? "")
        }
    }
}

extension TransportOptions: CustomStringConvertible {
    /// The time limits and the delivery.
    public var description: String {
        "\(timeouts); \(delivery)\(needsNewConnection ? "; on a new connection" : "")"
    }
}
