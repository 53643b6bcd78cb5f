import Dispatch

extension Body {
    // For a literal, the compiler takes the first of these that fits: JSONLiteral, Mixed and Values, Loose, a value.
    // The last two are disfavoured twice, by `json` and by its call. Otherwise a plain array or dictionary would score
    // better than our literal types, and lose the order.

    /// Creates a JSON body from a literal: `.json(["title": title, "draft": true, "author": ["id": 1, "name": nil]])`.
    public static func json(_ literal: JSONLiteral) -> Body { .encoding(literal.value) }

    /// Creates a JSON body from a literal with arrays of mixed values: `.json(["method": "sum", "params": [1, "a"]])`.
    @_disfavoredOverload
    public static func json(_ literal: JSONLiteral.Mixed) -> Body { .encoding(literal.value) }

    /// Creates a JSON body from a literal of any Encodable values: `.json(["user": user, "ids": ids])`.
    @_disfavoredOverload
    public static func json(_ literal: JSONLiteral.Values) -> Body { .encoding(literal.value) }

    /// Creates a JSON body from a value, `.json(user)`, or from a literal of all kinds of values.
    @_disfavoredOverload
    public static var json: JSON { JSON() }

    /// Creates bodies from values: see ``json``.
    public struct JSON: Sendable {
        /// Creates a JSON body from a value. The value is encoded when the request is sent, with the given encoder or
        /// that of the client.
        @_disfavoredOverload
        public func callAsFunction(_ value: any Encodable & Sendable, encoder: JSONEncoder? = nil) -> Body {
            .encoding(value, encoder)
        }

        /// Creates a JSON body from a literal whose values the compiler cannot check:
        /// `.json(["user": user, "meta": ["page": 1, "sort": "name"]])`.
        @_disfavoredOverload
        public func callAsFunction(_ literal: JSONLiteral.Loose) -> Body { .encoding(literal.value) }
    }

    private static func encoding(_ value: any Encodable & Sendable, _ encoder: JSONEncoder? = nil) -> Body {
        Body(contentType: "application/json") { coding in
            .data(try JSONWriter.data(of: value, by: encoder ?? coding.encoder))
        }
    }

    /// Creates the body of a form: `application/x-www-form-urlencoded`.
    public static func form(_ fields: Query, style: QueryStyle = QueryStyle()) -> Body {
        Body(contentType: "application/x-www-form-urlencoded") { _ in .data(Data(try fields.formEncoded(style).utf8)) }
    }

    /// Creates the body of a form with files: `multipart/form-data`. Files are read in portions while they are sent. A
    /// missing file is an error before anything is sent.
    public static func multipart(_ multipart: Multipart) -> Body {
        Body(contentType: multipart.contentType.description) { _ in
            let length = Int(try multipart.reader().count)
            if length <= multipartInMemory, !multipart.hasFiles { return .data(try multipart.encoded()) }
            return .stream(
                RequestStream(length: length, isReplayable: true) {
                    let portions = MultipartPortions(try multipart.reader())
                    return { try await portions.next() }
                })
        }
    }

    /// The highest number of bytes of a form without files that is encoded as a whole, so that logs and recordings show it.
    private static let multipartInMemory = 64 * 1024
}

/// The portions of a multipart body. One task reads them, on a thread that may block for files.
private final class MultipartPortions: @unchecked Sendable {
    // Unchecked: a portion is read only after the previous one.
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
