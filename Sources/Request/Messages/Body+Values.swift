import Dispatch

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Body {
    // Of the three, literals prefer the one that keeps their order.

    /// A literal as JSON, in its order: `.json(["title": title, "tags": ["a"]])`.
    public static func json(_ fields: JSONFields) -> Body {
        Body(contentType: "application/json") { coding in .data(try fields.encoded(by: coding.encoder)) }
    }

    /// A literal of mixed values as JSON: `.json(["title": title, "draft": true, "author": ["id": 1, "name": nil]])`.
    @_disfavoredOverload
    public static func json(_ literal: JSONFields.Literal) -> Body {
        Body(contentType: "application/json") { coding in .data(try literal.fields.encoded(by: coding.encoder)) }
    }

    /// A value as JSON. It is encoded when the request is sent, with the encoder of the client or one of its own.
    @_disfavoredOverload
    public static func json<Value: Encodable & Sendable>(_ value: Value, encoder: JSONEncoder? = nil) -> Body {
        Body(contentType: "application/json") { coding in .data(try (encoder ?? coding.encoder).encode(value)) }
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
