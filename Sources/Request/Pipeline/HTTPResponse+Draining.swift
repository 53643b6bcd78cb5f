extension HTTPResponse {
    /// The highest number of bytes that are read from an unwanted body, so that its connection can be reused.
    private static let drained = 64 * 1024
    /// The longest time for which they are read.
    private static let waitLimit = Duration.seconds(1)

    /// Reads the rest of a short body, or closes the connection of one that is long or late.
    package func drain() async {
        guard isStreaming else { return }
        let isShort = headers["Content-Length"].flatMap(Int.init).map { $0 <= Self.drained } ?? false
        guard isShort else { return stream.cancel() }
        await withTaskGroup { group in
            group.addTask { [self] in
                var response = self
                // A body that fails or is longer than announced has closed its connection.
                return (try? await response.collect(upTo: Self.drained)) != nil
            }
            group.addTask {
                try? await Task.sleep(for: Self.waitLimit)
                return false
            }
            // This ends a read that waits.
            if await group.next() != true { stream.cancel() }
            group.cancelAll()
        }
    }
}
