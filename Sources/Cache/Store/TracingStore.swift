/// A store whose files have traces of removed entries for a while, such as in the log of a database.
package protocol TracingStore: CacheStore {
    /// Removes these traces, so that no file of the store contains an entry that was removed before.
    nonisolated(nonsending) func removeTraces() async throws
}

extension TieredStore: TracingStore {
    package nonisolated(nonsending) func removeTraces() async throws {
        try await (backing as? any TracingStore)?.removeTraces()
    }
}
