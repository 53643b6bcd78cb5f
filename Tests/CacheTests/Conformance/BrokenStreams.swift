import Foundation
import TangoCache

extension Fault {
    /// Stores whose readers and writers do not keep what they promise.
    static let streams: [Fault] = [
        Fault("reads one portion", breaks: "A body of 3145729 bytes is returned unchanged in portions.") {
            ReadingStore { reader in
                let portionsRead = Guarded(0)
                return CacheReader(item: reader.item) {
                    guard
                        portionsRead.change({
                            $0 += 1; return $0
                        }) == 1
                    else { return nil }
                    var portions = reader.makeAsyncIterator()
                    return try await portions.next()
                }
            }
        },
        Fault("returns slices", breaks: "A body of 65537 bytes is returned unchanged in portions.") {
            ReadingStore { reader in
                CacheReader(item: reader.item) {
                    var portions = reader.makeAsyncIterator()
                    return try await portions.next().map { (Data([0]) + $0).dropFirst() }
                }
            }
        },
        Fault(
            "reads without details",
            breaks: "A reader has the size, metadata, expiry, tags, pin and time of writing of its entry."
        ) {
            ReadingStore { reader in
                let item = CacheItem(key: reader.item.key, size: reader.item.size, written: reader.item.written)
                return CacheReader(item: item) {
                    var portions = reader.makeAsyncIterator()
                    return try await portions.next()
                }
            }
        },
        Fault(
            "reads what is there at that moment", breaks: outliving("replaced"), outliving("removed"),
            outliving("removed with all others")
        ) { LiveStore() },
        Fault(
            "writes what is not committed", breaks: "Nothing is visible before `commit`.",
            "The old entry is returned until `commit`, and then the new one.", abandoned("is released"),
            abandoned("is abandoned")
        ) { HastyStore() },
        Fault(
            "writes portions only",
            breaks: "An entry that is written in portions keeps its metadata, tags, expiry, pin and time.",
            "The body of the entry is the first portion, and portions may be empty or slices."
        ) { PlainWriterStore() },
        Fault(
            "leaves alone what came meanwhile",
            breaks: "`commit` replaces an entry that was set since the writer was created.",
            "Of two writers of one key, the one that commits last wins."
        ) { PoliteStore() },
    ]

    private static func outliving(_ event: String) -> String {
        "A reader reads the old body to its end even if the entry is \(event)."
    }

    private static func abandoned(_ event: String) -> String {
        "A writer that \(event) before `commit` leaves nothing, and the old entry stays."
    }
}

private final class ReadingStore: BrokenStore {
    let store = ActorStore()
    let change: @Sendable (CacheReader) -> CacheReader

    init(_ change: @escaping @Sendable (CacheReader) -> CacheReader) {
        self.change = change
    }

    func reader(for key: CacheKey) async throws -> CacheReader? {
        try await store.reader(for: key).map(change)
    }
}

/// Reads each portion from the entry that is there at that moment.
private final class LiveStore: BrokenStore {
    let store = ActorStore()

    func reader(for key: CacheKey) async throws -> CacheReader? {
        guard let entry = await store.get(key) else { return nil }
        let position = Guarded(0)
        return CacheReader(item: CacheItem(key: key, entry: entry)) { [store] in
            let start = position.value
            guard let body = await store.get(key)?.body, start < body.count else { return nil }
            position.change { $0 += 1_000 }
            return Data(body.dropFirst(start).prefix(1_000))
        }
    }
}

/// Writes each portion to the entry at once.
private final class HastyStore: BrokenStore {
    let store = ActorStore()

    func writer(for key: CacheKey, entry: CacheEntry) async throws -> CacheWriter {
        try await store.set(entry, for: key)
        return CacheWriter(HastyTarget(store: store, key: key))
    }
}

private struct HastyTarget: CacheWriter.Target {
    let store: ActorStore
    let key: CacheKey

    func write(_ portion: Data) async throws {
        guard var entry = await store.get(key) else { return }
        entry.body.append(portion)
        try await store.set(entry, for: key)
    }

    func commit() async throws {}
    func abandon() {}
}

private final class PlainWriterStore: BrokenStore {
    let store = ActorStore()

    func writer(for key: CacheKey, entry: CacheEntry) async throws -> CacheWriter {
        try await store.writer(for: key)
    }
}

/// Does not replace what came while it wrote.
private final class PoliteStore: BrokenStore {
    let store = ActorStore()

    func writer(for key: CacheKey, entry: CacheEntry) async throws -> CacheWriter {
        let body = await store.get(key)?.body
        return CacheWriter(buffering: entry) { [store] entry in
            if await store.get(key)?.body == body { try await store.set(entry, for: key) }
        }
    }
}
