/// The body of a request.
///
/// A body is *replayable* if it can be sent again, for a retry, a redirect or a challenge. Bytes, files, and streams
/// that a closure makes each time are replayable. A stream that is passed directly can be sent only once.
public struct Body: Sendable {
    /// The content that a transport sends.
    public enum Content: Sendable {
        /// No body.
        case none
        /// Bytes in memory.
        case data(Data)
        /// A whole file, which is opened when the request is sent.
        case file(URL)
        /// Portions that are produced while the request is sent.
        case stream(RequestStream)
    }

    /// The MIME type for the `Content-Type` header, unless the request sets that header itself.
    public var contentType: String?
    private let source: Source
    /// The compression for the time when the body is sent, or with which its content was made.
    private var compression: Compression?

    private enum Source: Sendable {
        case content(Content)
        /// Values that are encoded with the coders of the client when the request is sent.
        case values(@Sendable (JSONCoding) throws -> Content)
    }

    private final class Compression: Sendable {
        /// The name for the `Content-Encoding` header.
        let coding: String
        /// Compresses the content; nil if that was done.
        let compress: (@Sendable (Content) throws -> Content)?
        /// The bytes before they were compressed.
        let original: Data?

        init(_ coding: String, compress: (@Sendable (Content) throws -> Content)? = nil, original: Data? = nil) {
            self.coding = coding
            self.compress = compress
            self.original = original
        }
    }

    /// Creates a body from content that needs no encoding.
    public init(content: Content, contentType: String? = nil) {
        source = .content(content)
        self.contentType = contentType
    }

    init(contentType: String, encoding encode: @escaping @Sendable (JSONCoding) throws -> Content) {
        source = .values(encode)
        self.contentType = contentType
    }

    /// The content to send. If values cannot be encoded, this is a stream that throws the error.
    public var content: Content {
        switch source {
        case .content(let content): return content
        case .values:
            do {
                return try encoded(with: .default).content
            } catch {
                return .stream(RequestStream(length: nil, isReplayable: true) { throw error })
            }
        }
    }

    /// Returns the body with its values encoded, and compressed if it is to be.
    package func encoded(with coding: JSONCoding) throws -> Body {
        let body = try withEncodedValues(coding)
        guard let compression, let compress = compression.compress else { return body }
        if body.isNone || body.isNoBytes { return body }
        var original: Data?
        if case .content(.data(let data)) = body.source { original = data }
        var result = Body(content: try compress(body.content), contentType: contentType)
        result.compression = Compression(compression.coding, original: original)
        return result
    }

    private func withEncodedValues(_ coding: JSONCoding) throws -> Body {
        guard case .values(let encode) = source else { return self }
        do {
            return Body(content: try encode(coding), contentType: contentType)
        } catch let error as RequestEncodingError {
            throw RequestError(error)
        } catch {
            throw RequestError(
                .notEncodable, phase: .prepare,
                detail: "the value of the body cannot be encoded: check it, and the encoder",
                underlying: error)
        }
    }

    /// Returns the body with a compression that is applied when a client sends it. A body has one at most.
    package func compressed(as coding: String, by compress: @escaping @Sendable (Content) throws -> Content) -> Body {
        guard compression == nil else { return self }
        var body = self
        body.compression = Compression(coding, compress: compress)
        return body
    }

    /// A Boolean value that indicates whether the body will be compressed when it is sent.
    package var isToBeCompressed: Bool { compression?.compress != nil }

    /// The name of the coding in which the content is; nil if it was not compressed.
    package var coding: String? { compression.flatMap { $0.compress == nil ? $0.coding : nil } }

    /// The content for logs, recordings and the search for secrets: the bytes before they were compressed.
    package var legible: Content { compression?.original.map(Content.data) ?? content }

    /// A Boolean value that indicates whether ``legible`` is not the compressed content.
    package var isLegible: Bool { coding == nil || compression?.original != nil }

    /// No body, which differs from an empty body.
    public static let none = Body(content: .none)

    /// Creates a body from bytes. Without a `contentType`, no type is sent. With empty data, a `GET`, `HEAD` or `TRACE`
    /// request has no body.
    public static func data(_ data: Data, contentType: String? = nil) -> Body {
        Body(content: .data(data), contentType: contentType)
    }

    /// Creates a body from a text, always encoded as UTF-8.
    public static func string(_ text: String, contentType: String? = "text/plain; charset=utf-8") -> Body {
        Body(content: .data(Data(text.utf8)), contentType: contentType)
    }

    /// Creates a body from a file, which is read in portions while it is sent. Its length is determined when sending
    /// begins.
    public static func file(_ url: URL, contentType: String? = nil) -> Body {
        Body(content: .file(url), contentType: contentType)
    }

    /// Creates a body from a stream that can be sent only once. Without a length it is sent in chunks.
    public static func stream<Portions: AsyncSequence & Sendable>(
        _ portions: Portions, length: Int? = nil, contentType: String? = nil
    ) -> Body where Portions.Element == Data {
        Body(content: .stream(RequestStream(portions, length: length)), contentType: contentType)
    }

    /// Creates a body from a stream that the closure makes for each transmission, so that it can be sent again.
    public static func stream<Portions: AsyncSequence & SendableMetatype>(
        length: Int? = nil, contentType: String? = nil, making make: @escaping @Sendable () throws -> Portions
    ) -> Body where Portions.Element == Data {
        Body(content: .stream(RequestStream(length: length, making: make)), contentType: contentType)
    }

    /// A Boolean value that indicates whether there is no body.
    package var isNone: Bool {
        if case .content(.none) = source { true } else { false }
    }

    /// A Boolean value that indicates whether the body is empty data.
    package var isNoBytes: Bool {
        if case .content(.data(let data)) = source { data.isEmpty } else { false }
    }

    /// A Boolean value that indicates whether the body can be sent again.
    public var isReplayable: Bool {
        if case .content(.stream(let stream)) = source { stream.isReplayable } else { true }
    }

    /// The number of bytes, if it is known without opening a file; otherwise nil.
    public var knownLength: Int? {
        switch content {
        case .none: 0
        case .data(let data): data.count
        case .file: nil
        case .stream(let stream): stream.length
        }
    }
}

extension Body: CustomStringConvertible {
    /// The size and type of the body, without its contents: `7 bytes of text/plain`.
    public var description: String {
        let size =
            switch content {
            case .none: "no body"
            case .data(let data): "\(data.count) bytes"
            case .file: "a file"
            case .stream(let stream): stream.length.map { "a stream of \($0) bytes" } ?? "a stream"
            }
        return contentType.map { "\(size) of \($0)" } ?? size
    }
}
