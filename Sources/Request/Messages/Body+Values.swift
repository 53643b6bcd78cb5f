import Dispatch

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Body {
    // For a literal, the compiler takes the first that fits of: JSONLiteral, Mixed and Values, Loose, a value. The last two
    // are disfavoured twice, by `json` and by the call of it, because a plain array or dictionary would score better than
    // a literal type of ours, and lose the order.

    /// A literal as JSON: `.json(["title": title, "draft": true, "author": ["id": 1, "name": nil]])`.
    public static func json(_ literal: JSONLiteral) -> Body { .encoding(literal.value) }

    /// A literal with lists of mixed values as JSON: `.json(["method": "sum", "params": [1, "a"]])`.
    @_disfavoredOverload
    public static func json(_ literal: JSONLiteral.Mixed) -> Body { .encoding(literal.value) }

    /// A literal of any Encodable values as JSON: `.json(["user": user, "ids": ids])`.
    @_disfavoredOverload
    public static func json(_ literal: JSONLiteral.Values) -> Body { .encoding(literal.value) }

    /// A value as JSON, `.json(user)`, and a literal that mixes all kinds of values.
    @_disfavoredOverload
    public static var json: JSON { JSON() }

    /// Makes bodies of values: see ``json``.
    public struct JSON: Sendable {
        /// A value as JSON. It is encoded when the request is sent, with the encoder of the client or one of its own.
        @_disfavoredOverload
        public func callAsFunction(_ value: any Encodable & Sendable, encoder: JSONEncoder? = nil) -> Body {
            .encoding(value, encoder)
        }

        /// A literal of values that the compiler cannot check together, as JSON:
        /// `.json(["user": user, "meta": ["page": 1, "sort": "name"]])`.
        @_disfavoredOverload
        public func callAsFunction(_ literal: JSONLiteral.Loose) -> Body { .encoding(literal.value) }
    }

    private static func encoding(_ value: any Encodable & Sendable, _ encoder: JSONEncoder? = nil) -> Body {
        Body(contentType: "application/json") { coding in
            .data(try JSONWriter.data(of: value, by: encoder ?? coding.encoder))
        }
    }

    /// A form, as a page sends it: `application/x-www-form-urlencoded`.
    public static func form(_ fields: Query, style: QueryStyle = QueryStyle()) -> Body {
        Body(contentType: "application/x-www-form-urlencoded") { _ in .data(Data(try fields.formEncoded(style).utf8)) }
    }

    /// A form with files, as a page sends it: `multipart/form-data`. Files are read in portions while it is sent; those that
    /// are missing are noticed before.
    public static func multipart(_ multipart: Multipart) -> Body {
        Body(contentType: multipart.contentType.description) { _ in
            let length = Int(try multipart.reader().count)
            return .stream(
                RequestStream(length: length, isReplayable: true) {
                    let portions = MultipartPortions(try multipart.reader())
                    return { try await portions.next() }
                })
        }
    }
}

/// The portions of a multipart body, read by one task, on a thread that may wait for files.
private final class MultipartPortions: @unchecked Sendable {
    // Unchecked: the next portion is asked for when the one before is there.
    private var reader: MultipartReader
    private static let queue = DispatchQueue.global()

    init(_ reader: MultipartReader) {
        self.reader = reader
    }

    func next() async throws -> Data? {
        try await withUnsafeThrowingContinuation { continuation in
            Self.queue.async {
                continuation.resume(with: Result { try self.reader.next(upTo: 256 << 10) })
            }
        }
    }
}
