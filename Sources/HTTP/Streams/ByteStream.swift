/// The bytes of a body while they arrive, in portions of any size: an output for ``Request``.
///
/// ```swift
/// final class GetExport: Request<ByteStream> {
///     override var endpoint: Endpoint { .get("/export") }
/// }
/// ```
///
/// See ``StreamedOutput`` for the rules of all streams, and ``write(to:)-(Int32)`` for the ways to write it somewhere.
public struct ByteStream: StreamedOutput {
    public let response: HTTPResponse
    let stream: BodyStream

    /// Creates the stream of a response. For a raw message, send it with ``TransportOptions/Delivery/stream``.
    public init(_ response: HTTPResponse) {
        self.response = response.head
        stream = response.stream
    }

    public static var serializer: Serializer<ByteStream> {
        .streaming { response, _ in ByteStream(response) }
    }

    /// The trailers and metrics; nil until the last portion has been read.
    public var ending: BodyStream.Ending? { stream.ending }

    public func makeAsyncIterator() -> BodyStream.Iterator { stream.makeAsyncIterator() }
}
