#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Answer {
    /// A status without a body.
    public static func status(_ status: Int, reason: String? = nil, headers: HeaderLines = [:]) -> Answer {
        Answer(status: status, reason: reason, headers: headers)
    }

    /// Plain text.
    public static func text(_ text: String, status: Int = 200) -> Answer {
        Answer(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: .bytes(Array(text.utf8)))
    }

    /// JSON, as written.
    public static func json(_ text: String, status: Int = 200) -> Answer {
        Answer(status: status, headers: ["Content-Type": "application/json"], body: .bytes(Array(text.utf8)))
    }

    /// A value as JSON.
    public static func json(encoding value: some Encodable, status: Int = 200) throws -> Answer {
        let bytes = Array(try JSONEncoder().encode(value))
        return Answer(status: status, headers: ["Content-Type": "application/json"], body: .bytes(bytes))
    }

    /// Bytes of some type.
    public static func bytes(
        _ bytes: some Sequence<UInt8>, type: String = "application/octet-stream", status: Int = 200
    ) -> Answer {
        Answer(status: status, headers: ["Content-Type": type], body: .bytes(Array(bytes)))
    }

    /// Another place to go to.
    public static func redirect(to location: String, status: Int = 302) -> Answer {
        Answer(status: status, headers: ["Location": location])
    }

    /// A chunked body with these chunks.
    ///
    /// - Parameters:
    ///   - chunks: The chunks.
    ///   - isEnded: Whether the last chunk, which is empty, follows; without it, the client waits for more.
    public static func chunks(_ chunks: [Chunk], isEnded: Bool = true) -> Answer {
        Answer(body: .chunks(chunks, isEnded: isEnded))
    }

    /// A body of any size that takes no memory: byte `i` of it is `i % 251`.
    public static func generated(bytes: Int) -> Answer {
        Answer(headers: ["Content-Type": "application/octet-stream"], body: .generated(bytes: max(0, bytes)))
    }

    /// A body that is written while it is sent, one chunk per write, and no faster than the client reads.
    ///
    /// Throwing ends the connection in the middle of the body.
    public static func stream(_ write: @escaping @Sendable (AnswerWriter) async throws -> Void) -> Answer {
        Answer(body: .stream(write))
    }

    /// A body from a sequence of portions, each a chunk. It is iterated once for each time the answer is given.
    public static func stream<Portions: AsyncSequence & Sendable>(_ portions: Portions) -> Answer
    where Portions.Element: Sequence<UInt8> {
        .stream { writer in
            for try await portion in portions { try await writer.write(portion) }
        }
    }

    /// Bytes in place of an answer, exactly as they are. The connection is closed behind them, unless said otherwise.
    public static func raw(_ bytes: some Sequence<UInt8>, closes: Bool = true) -> Answer {
        let answer = Answer(body: .raw(Array(bytes)))
        return closes ? answer.closing() : answer
    }

    /// Text in place of an answer, exactly as it is. The connection is closed behind it, unless said otherwise.
    public static func raw(_ text: String, closes: Bool = true) -> Answer {
        raw(text.utf8, closes: closes)
    }
}
