/// The response of a server.
///
/// Its body is either complete, in ``body``, or still arriving, in ``stream``. ``collect(upTo:)`` reads the stream into
/// ``body``.
public struct HTTPResponse: Sendable {
    /// The status code. No status is an error by itself: ``Validation`` decides.
    public var status: HTTPStatus {
        get { box.status }
        set { own.status = newValue }
    }

    /// The reason phrase of the status line, as the server sent it. HTTP/2 has none.
    public var reason: String {
        get { box.reason }
        set { own.reason = newValue }
    }

    /// The version of HTTP of the response. `URLSessionTransport` does not know it, and always sets HTTP/1.1.
    public var version: HTTPVersion {
        get { box.version }
        set { own.version = newValue }
    }

    /// The fields before the body. The fields of a compressed body are removed when it is decompressed.
    public var headers: Headers {
        get { box.headers }
        _modify { yield &own.headers }
    }

    /// The body that has been collected. It is empty while ``isStreaming``.
    public var body: Data {
        get { box.body }
        _modify { yield &own.body }
    }

    /// The fields after a body in chunks. They are available when the body has ended.
    public var trailers: Headers {
        get { box.trailers }
        _modify { yield &own.trailers }
    }

    /// The request of this response, as it was sent.
    public var request: HTTPRequest? {
        get { box.request }
        set { own.request = newValue }
    }

    /// The metrics of the exchange so far. They are complete when the body has ended.
    public var metrics: AttemptMetrics {
        get { box.metrics }
        _modify { yield &own.metrics }
    }

    /// The source of the response: the server or a cache.
    public var source: ResponseSource {
        get { box.source }
        set { own.source = newValue }
    }

    /// The URL of this response: after redirects, that of the last one. It is nil if the response has no request.
    public var url: URL? { request?.url }

    /// The responses that redirected to this one, in order, without their bodies. Each has its ``request``.
    public package(set) var redirects: [HTTPResponse] {
        get { box.redirects }
        set { own.redirects = newValue }
    }

    /// The file to which the body was written, in place of ``body``; nil unless the request is a download.
    package var file: FileBody? {
        get { box.file }
        set { own.file = newValue }
    }

    /// A Boolean value that indicates whether the transport decodes the body. Its fields are those of the decoded body, and
    /// its validators those of the encoded one.
    package var isDecoded: Bool {
        get { box.isDecoded }
        set { own.isDecoded = newValue }
    }

    /// The properties, in one object, because a response is often passed on and rarely changed.
    private var box: Box

    /// The properties, copied if another response shares them.
    private var own: Box {
        mutating get {
            if !isKnownUniquelyReferenced(&box) { box = Box(copying: box) }
            return box
        }
    }

    private final class Box: @unchecked Sendable {
        // Unchecked: the properties change only while a single response references them.
        var status: HTTPStatus
        var reason: String
        var version: HTTPVersion
        var headers: Headers
        var body: Data
        var trailers: Headers
        var request: HTTPRequest?
        var metrics: AttemptMetrics
        var source = ResponseSource.network
        var redirects: [HTTPResponse] = []
        var incoming: BodyStream?
        var file: FileBody?
        var isDecoded = false

        init(
            _ status: HTTPStatus, _ reason: String, _ version: HTTPVersion, _ headers: Headers, _ body: Data,
            _ trailers: Headers, _ request: HTTPRequest?, _ metrics: AttemptMetrics, _ incoming: BodyStream?
        ) {
            self.status = status
            self.reason = reason
            self.version = version
            self.headers = headers
            self.body = body
            self.trailers = trailers
            self.request = request
            self.metrics = metrics
            self.incoming = incoming
        }

        convenience init(copying box: Box) {
            self.init(
                box.status, box.reason, box.version, box.headers, box.body, box.trailers, box.request, box.metrics,
                box.incoming)
            source = box.source
            redirects = box.redirects
            file = box.file
            isDecoded = box.isDecoded
        }
    }

    /// Creates a response with a complete body, for transports, and for interceptors that respond themselves.
    public init(
        status: HTTPStatus, reason: String = "", version: HTTPVersion = .http1_1, headers: Headers = [:],
        body: Data = Data(), trailers: Headers = [:], request: HTTPRequest? = nil,
        metrics: AttemptMetrics = AttemptMetrics()
    ) {
        box = Box(status, reason, version, headers, body, trailers, request, metrics, nil)
    }

    /// Creates a response whose body is still arriving.
    public init(
        status: HTTPStatus, reason: String = "", version: HTTPVersion = .http1_1, headers: Headers = [:],
        stream: BodyStream, request: HTTPRequest? = nil, metrics: AttemptMetrics = AttemptMetrics()
    ) {
        box = Box(status, reason, version, headers, Data(), [:], request, metrics, stream)
    }

    /// The response without its body.
    package var head: HTTPResponse {
        var head = HTTPResponse(
            status: status, reason: reason, version: version, headers: headers, trailers: trailers, request: request,
            metrics: metrics)
        head.source = source
        return head
    }

    /// A Boolean value that indicates whether the body is still arriving, in ``stream``.
    public var isStreaming: Bool { box.incoming != nil }

    /// The body in portions, as they arrive. A body that has been collected is one portion.
    ///
    /// It can be read once. A slow reader slows the server down, and a reader that stops early closes the connection.
    /// Interceptors decode or observe the body by assigning another stream.
    public var stream: BodyStream {
        get { box.incoming ?? BodyStream(body) }
        set {
            own.incoming = newValue
            body = Data()
        }
    }

    /// Reads the stream to its end into ``body``, and sets the trailers and metrics.
    ///
    /// - Parameter limit: The highest number of bytes; nil means no limit. If the body exceeds it, reading stops and
    ///   ``RequestError/Code/responseTooLarge`` is thrown.
    public mutating func collect(upTo limit: Int?) async throws {
        guard let stream = box.incoming else {
            guard let limit, body.count > limit else { return }
            throw RequestError.tooLarge(limit: limit, response: self, "limit of collect(upTo:)")
        }
        do {
            body = try await stream.collect(upTo: limit)
        } catch let excess as BodyStream.Excess {
            throw RequestError.tooLarge(limit: excess.limit, response: self, "limit of collect(upTo:)")
        }
        own.incoming = nil
        guard let ending = stream.ending else { return }
        trailers = ending.trailers
        metrics = ending.metrics
    }
}

extension HTTPResponse: CustomStringConvertible, CustomDebugStringConvertible {
    /// One line: `HTTP/1.1 404 Not Found`.
    public var description: String {
        "\(version) \(status) \(status.name)"
    }

    /// The line, the fields with redacted credentials, and the size of the body.
    public var debugDescription: String {
        var text = description
        if !headers.isEmpty { text += "\n\(redactionOfHeaders.redact(headers))" }
        return text + (isStreaming ? "\n(a streamed body)" : "\n(\(body.count) bytes)")
    }

    /// The redaction of the request, with its secrets, which a server may send back.
    var redactionOfHeaders: Redaction { (request?.redaction ?? .standard).knowing(request) }
}

/// The source of a response.
public enum ResponseSource: Sendable, Hashable {
    /// The server.
    case network
    /// The cache, without contact to the server. The response has this age. It is stale if it should have been
    /// revalidated, but the network or the time for that was missing.
    case cache(age: Duration, isStale: Bool)
    /// The cache, after the server has confirmed that the cached response is current.
    case validated

    /// A Boolean value that indicates whether the response came from a cache, including after revalidation.
    public var isCache: Bool { self != .network }

    /// A Boolean value that indicates whether the response was served although it needed revalidation.
    public var isStale: Bool {
        if case .cache(_, isStale: true) = self { true } else { false }
    }
}

/// The HTTP version of a response.
public struct HTTPVersion: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let major: Int
    public let minor: Int

    public init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    public static let http1_0 = HTTPVersion(major: 1, minor: 0)
    public static let http1_1 = HTTPVersion(major: 1, minor: 1)
    public static let http2 = HTTPVersion(major: 2, minor: 0)
    public static let http3 = HTTPVersion(major: 3, minor: 0)

    public static func < (one: HTTPVersion, other: HTTPVersion) -> Bool {
        (one.major, one.minor) < (other.major, other.minor)
    }

    /// The version as browser tools print it: `HTTP/1.1`, `HTTP/2`.
    public var description: String {
        major < 2 ? "HTTP/\(major).\(minor)" : "HTTP/\(major)"
    }
}
