#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a request sends after its headers.
///
/// A body is *replayable* if it can be sent again, for a retry, a redirect or a challenge: bytes and files are, and so
/// is a stream that is made anew each time. A stream that was handed over as it is can be sent once.
public struct Body: Sendable {
    /// What a transport has to send.
    public enum Content: Sendable {
        /// No body.
        case none
        /// Bytes that are there.
        case data(Data)
        /// A whole file, which is opened when it is sent.
        case file(URL)
        /// Portions that come while it is sent.
        case stream(RequestStream)
    }

    /// The MIME type that is sent as `Content-Type` where the request has no such header of its own.
    public var contentType: String?
    private let source: Source

    private enum Source: Sendable {
        case content(Content)
        /// Values that are encoded when the request is sent, with the coders of its client.
        case values(@Sendable (JSONCoding) throws -> Content)
    }

    /// A body of what a transport sends, which has nothing left to encode.
    public init(content: Content, contentType: String? = nil) {
        source = .content(content)
        self.contentType = contentType
    }

    init(contentType: String, encoding encode: @escaping @Sendable (JSONCoding) throws -> Content) {
        source = .values(encode)
        self.contentType = contentType
    }

    /// What is sent. Values that cannot be encoded are a stream that fails, and says why.
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

    /// The body with its values encoded.
    func encoded(with coding: JSONCoding) throws -> Body {
        guard case .values(let encode) = source else { return self }
        do {
            return Body(content: try encode(coding), contentType: contentType)
        } catch let error as RequestEncodingError {
            throw RequestError(error)
        } catch {
            throw RequestError(
                .notEncodable, phase: .prepare, detail: "the body of the request cannot be encoded: \(error)",
                underlying: error)
        }
    }

    /// No body at all, which is not the same as an empty one.
    public static let none = Body(content: .none)

    /// Bytes, whose type is not sent unless it is given. Where there are none, a `GET`, `HEAD` or `TRACE` has no body.
    public static func data(_ data: Data, contentType: String? = nil) -> Body {
        Body(content: .data(data), contentType: contentType)
    }

    /// A text in UTF-8, whatever the type says.
    public static func string(_ text: String, contentType: String? = "text/plain; charset=utf-8") -> Body {
        Body(content: .data(Data(text.utf8)), contentType: contentType)
    }

    /// A file, which is read in portions while it is sent. Its length is looked up when sending begins.
    public static func file(_ url: URL, contentType: String? = nil) -> Body {
        Body(content: .file(url), contentType: contentType)
    }

    /// A stream that can be sent once. Without a length it is sent in chunks.
    public static func stream<Portions: AsyncSequence & Sendable>(
        _ portions: Portions, length: Int? = nil, contentType: String? = nil
    ) -> Body where Portions.Element == Data {
        Body(content: .stream(RequestStream(portions, length: length)), contentType: contentType)
    }

    /// A stream that is made anew each time the request is sent, so that it can be sent again.
    public static func stream<Portions: AsyncSequence & SendableMetatype>(
        length: Int? = nil, contentType: String? = nil, making make: @escaping @Sendable () throws -> Portions
    ) -> Body where Portions.Element == Data {
        Body(content: .stream(RequestStream(length: length, making: make)), contentType: contentType)
    }

    /// Whether there is no body at all.
    var isNone: Bool {
        if case .content(.none) = source { true } else { false }
    }

    /// Whether the body is bytes, of which there are none.
    var isNoBytes: Bool {
        if case .content(.data(let data)) = source { data.isEmpty } else { false }
    }

    /// Whether the body can be sent again.
    public var isReplayable: Bool {
        if case .content(.stream(let stream)) = source { stream.isReplayable } else { true }
    }

    /// How many bytes there are, where that is known without opening anything.
    public var knownLength: Int? {
        switch content {
        case .none: 0
        case .data(let data): data.count
        case .file: nil
        case .stream(let stream): stream.length
        }
    }
}
