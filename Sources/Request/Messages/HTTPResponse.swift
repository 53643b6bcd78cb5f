#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A server's answer.
///
/// Its body is either here, in ``body``, or still on its way, in ``stream``. ``collect(upTo:)`` makes one of the other.
public struct HTTPResponse: Sendable {
    /// Whether the server did as it was asked. No status is an error by itself: ``Validation`` decides.
    public var status: HTTPStatus {
        get { parts.status }
        set { own.status = newValue }
    }

    /// The words behind the status code, as the server wrote them; HTTP/2 has none.
    public var reason: String {
        get { parts.reason }
        set { own.reason = newValue }
    }

    /// The version of HTTP that the answer came in. ``URLSessionTransport`` does not know it, and leaves it at HTTP/1.1.
    public var version: HTTPVersion {
        get { parts.version }
        set { own.version = newValue }
    }

    /// The fields before the body. Those that spoke of a compressed body are gone when it has been decoded.
    public var headers: Headers {
        get { parts.headers }
        _modify { yield &own.headers }
    }

    /// The body, as far as it has been collected: empty while ``isStreaming``.
    public var body: Data {
        get { parts.body }
        _modify { yield &own.body }
    }

    /// The fields behind a body that was sent in chunks. They are known when the body has ended.
    public var trailers: Headers {
        get { parts.trailers }
        _modify { yield &own.trailers }
    }

    /// The request that this answers, as it was sent.
    public var request: HTTPRequest? {
        get { parts.request }
        set { own.request = newValue }
    }

    /// What this exchange took, as far as is known: all of it when the body has ended.
    public var metrics: AttemptMetrics {
        get { parts.metrics }
        _modify { yield &own.metrics }
    }

    /// Whether the server answered just now, or a cache did in its place.
    public var source: ResponseSource {
        get { parts.source }
        set { own.source = newValue }
    }

    /// What the response is made of, in one place: a response is handed on often, and seldom changed.
    private var parts: Parts

    /// The parts, of which nobody else knows.
    private var own: Parts {
        mutating get {
            if !isKnownUniquelyReferenced(&parts) { parts = Parts(parts) }
            return parts
        }
    }

    private final class Parts: @unchecked Sendable {
        // Unchecked: they change only while one response has them.
        var status: HTTPStatus
        var reason: String
        var version: HTTPVersion
        var headers: Headers
        var body: Data
        var trailers: Headers
        var request: HTTPRequest?
        var metrics: AttemptMetrics
        var source = ResponseSource.network
        var incoming: BodyStream?

        init(
            status: HTTPStatus, reason: String, version: HTTPVersion, headers: Headers, body: Data, trailers: Headers,
            request: HTTPRequest?, metrics: AttemptMetrics, incoming: BodyStream? = nil
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

        convenience init(_ other: Parts) {
            self.init(
                status: other.status, reason: other.reason, version: other.version, headers: other.headers,
                body: other.body, trailers: other.trailers, request: other.request, metrics: other.metrics,
                incoming: other.incoming)
            source = other.source
        }
    }

    /// A response whose body is here: for interceptors that answer themselves, and for transports.
    public init(
        status: HTTPStatus, reason: String = "", version: HTTPVersion = .http1_1, headers: Headers = [:],
        body: Data = Data(), trailers: Headers = [:], request: HTTPRequest? = nil,
        metrics: AttemptMetrics = AttemptMetrics()
    ) {
        parts = Parts(
            status: status, reason: reason, version: version, headers: headers, body: body, trailers: trailers,
            request: request, metrics: metrics)
    }

    /// A response whose body is on its way.
    public init(
        status: HTTPStatus, reason: String = "", version: HTTPVersion = .http1_1, headers: Headers = [:],
        stream: BodyStream, request: HTTPRequest? = nil, metrics: AttemptMetrics = AttemptMetrics()
    ) {
        parts = Parts(
            status: status, reason: reason, version: version, headers: headers, body: Data(), trailers: [:],
            request: request, metrics: metrics, incoming: stream)
    }

    /// The response without its body.
    var head: HTTPResponse {
        var head = HTTPResponse(
            status: status, reason: reason, version: version, headers: headers, trailers: trailers, request: request,
            metrics: metrics)
        head.source = source
        return head
    }

    /// Whether the body is still on its way, in ``stream``.
    public var isStreaming: Bool { parts.incoming != nil }

    /// The body in portions, as they arrive; a body that has been collected is one portion.
    ///
    /// It can be read once. Whoever stops reading before the end closes the connection; who reads slowly slows the
    /// server down. Assigning replaces the body, which is how an interceptor decodes or watches it.
    public var stream: BodyStream {
        get { parts.incoming ?? BodyStream(body) }
        set {
            own.incoming = newValue
            body = Data()
        }
    }

    /// Reads the body to its end into ``body``, and takes over its trailers and metrics.
    ///
    /// A body above the limit is left, and ``RequestError/Code/responseTooLarge`` is thrown; nil is no limit.
    public mutating func collect(upTo limit: Int?) async throws {
        guard let stream = parts.incoming else {
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
