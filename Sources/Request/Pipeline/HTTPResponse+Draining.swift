extension HTTPResponse {
    /// The highest number of bytes that are read from an unwanted body, so that its connection can be reused.
    private static let drained = 64 * 1024

    /// Reads the rest of a short body, or closes the connection of a long one.
    mutating func drain() async {
        guard isStreaming else { return }
        let isShort = headers["Content-Length"].flatMap(Int.init).map { $0 <= Self.drained } ?? false
        // A body that fails or is longer than announced has closed its connection.
        if isShort, (try? await collect(upTo: Self.drained)) != nil { return }
        stream.cancel()
    }
}
