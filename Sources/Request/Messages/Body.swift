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
        case none
        case data(Data)
        /// A whole file, which is opened when it is sent.
        case file(URL)
        case stream(RequestStream)
    }

    /// The MIME type that is sent as `Content-Type` where the request has no such header of its own.
    public var contentType: String?
    public let content: Content

    public init(content: Content, contentType: String? = nil) {
        self.content = content
        self.contentType = contentType
    }

    /// No body at all, which is not the same as an empty one.
    public static let none = Body(content: .none)

    public static func data(_ data: Data, contentType: String? = nil) -> Body {
        Body(content: .data(data), contentType: contentType)
    }

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

    /// Whether the body can be sent again.
    public var isReplayable: Bool {
        if case .stream(let stream) = content { stream.isReplayable } else { true }
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
