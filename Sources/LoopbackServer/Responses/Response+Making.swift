extension Response {
    /// A response without a body.
    public static func status(_ status: Int, reason: String? = nil, headers: HeaderLines = [:]) -> Response {
        Response(status: status, reason: reason, headers: headers)
    }

    /// Plain text.
    public static func text(_ text: String, status: Int = 200) -> Response {
        Response(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: .bytes(Array(text.utf8)))
    }

    /// JSON, as written.
    public static func json(_ text: String, status: Int = 200) -> Response {
        Response(status: status, headers: ["Content-Type": "application/json"], body: .bytes(Array(text.utf8)))
    }

    /// A value as JSON.
    public static func json(encoding value: some Encodable, status: Int = 200) throws -> Response {
        let bytes = Array(try JSONEncoder().encode(value))
        return Response(status: status, headers: ["Content-Type": "application/json"], body: .bytes(bytes))
    }

    /// Bytes with a content type.
    public static func bytes(
        _ bytes: some Sequence<UInt8>, type: String = "application/octet-stream", status: Int = 200
    ) -> Response {
        Response(status: status, headers: ["Content-Type": type], body: .bytes(Array(bytes)))
    }

    /// A redirect to another location.
    public static func redirect(to location: String, status: Int = 302) -> Response {
        Response(status: status, headers: ["Location": location])
    }

    /// A chunked body with these chunks.
    ///
    /// - Parameters:
    ///   - chunks: The chunks.
    ///   - isEnded: Pass false to leave out the last chunk, which is empty. The client then waits for more.
    public static func chunks(_ chunks: [Chunk], isEnded: Bool = true) -> Response {
        Response(body: .chunks(chunks, isEnded: isEnded))
    }

    /// A body of any size that takes no memory: byte `i` of it is `i % 251`.
    public static func generated(bytes: Int) -> Response {
        Response(headers: ["Content-Type": "application/octet-stream"], body: .generated(bytes: max(0, bytes)))
    }

    /// A body that is written while it is sent, one chunk per write, and no faster than the client reads.
    ///
    /// If `write` throws, the connection closes in the middle of the body.
    public static func stream(_ write: @escaping @Sendable (ResponseWriter) async throws -> Void) -> Response {
        Response(body: .stream(write))
    }

    /// A body from a sequence of portions, each a chunk. The sequence is iterated once for each response.
    public static func stream<Portions: AsyncSequence & Sendable>(_ portions: Portions) -> Response
    where Portions.Element: Sequence<UInt8> {
        .stream { writer in
            for try await portion in portions { try await writer.write(portion) }
        }
    }

    /// Exactly these bytes instead of a response. By default, the connection closes after them.
    public static func raw(_ bytes: some Sequence<UInt8>, closes: Bool = true) -> Response {
        let response = Response(body: .raw(Array(bytes)))
        return closes ? response.closing() : response
    }

    /// Exactly this text instead of a response. By default, the connection closes after it.
    public static func raw(_ text: String, closes: Bool = true) -> Response {
        raw(text.utf8, closes: closes)
    }
}
