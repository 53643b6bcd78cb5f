extension Body {
    /// Returns the body, to be compressed with gzip when a client sends it.
    ///
    /// ```swift
    /// final class SendReadings: Request<Void> {
    ///     let readings: [Reading]
    ///     init(_ readings: [Reading]) { self.readings = readings }
    ///     override var endpoint: Endpoint { .post("/readings", body: .json(readings).compressed()) }
    /// }
    /// ```
    ///
    /// The request gets the header `Content-Encoding: gzip`. Servers need not accept it: compress only for a server that does.
    /// Compression makes small bodies, and those that are compressed already, such as images, no smaller.
    ///
    /// - Bytes are compressed in memory, and the header `Content-Length` has the new length.
    /// - A file or a stream is compressed while it is sent, in chunks, because its new length is not known. It can be sent again if
    ///   it could be sent again before.
    /// - No body and empty data stay as they are.
    ///
    /// Signatures and digests are those of the compressed bytes. Logs and recordings show the bytes before. A request with a
    /// `Content-Encoding` of its own fails with ``RequestError/Code/badBody``. Without zlib in the system, it fails with
    /// ``RequestError/Code/unsupported``.
    public func compressed() -> Body {
        compressed(as: "gzip") { content in
            switch content {
            case .none: .none
            case .data(let data): .data(try Deflation.gzip(data))
            case .file(let file): .stream(try GzipBody.stream(of: file))
            case .stream(let stream): .stream(try GzipBody.stream(of: stream))
            }
        }
    }
}
