import TangoCache

extension Fault {
    /// Stores that list and count something else than what is there.
    static let lists: [Fault] = [
        Fault("lists an entry twice", breaks: complete) { ListingStore { $0 + $0.prefix(1) } },
        Fault("lists 256 entries", breaks: complete) { ListingStore { Array($0.prefix(256)) } },
        Fault("lists what is not there", breaks: "An empty store lists nothing.") {
            ListingStore { $0 + [CacheItem(key: "ghost", size: 0, written: .now)] }
        },
        Fault("lists sizes of its own", breaks: says) {
            ListingStore { $0.map { item in changed(item) { $0.size += 16 } } }
        },
        Fault("lists no tags", breaks: says) { ListingStore { $0.map { item in changed(item) { $0.tags = [] } } } },
        Fault("counts on", breaks: "`statistics` counts the entries and the pinned ones.") { UncountedStore() },
        Fault("pages by position", breaks: "Entries that stay are listed once, even if others are removed meanwhile.") {
            PositionStore()
        },
    ]

    private static let complete = "Each listing has all entries, each once."
    private static let says = "A listed entry has its size, metadata, expiry, tags, pin and time of writing."

    private static func changed(_ item: CacheItem, _ change: (inout CacheItem) -> Void) -> CacheItem {
        var item = item
        change(&item)
        return item
    }
}

private final class ListingStore: BrokenStore {
    let store = ActorStore()
    let change: @Sendable ([CacheItem]) -> [CacheItem]

    init(_ change: @escaping @Sendable ([CacheItem]) -> [CacheItem]) {
        self.change = change
    }

    func entries() -> CacheEntries {
        CacheEntries { [self] in
            var items: [CacheItem] = []
            for try await item in store.entries() { items.append(item) }
            return CacheEntries.Page(change(items))
        }
    }
}

private final class UncountedStore: BrokenStore {
    let store = ActorStore()

    func statistics() async throws -> CacheStatistics { CacheStatistics() }
}

/// Reads each page from where the last one ended, in a list that has become shorter.
private final class PositionStore: BrokenStore {
    let store = ActorStore()

    func entries() -> CacheEntries {
        CacheEntries { try await self.page(at: 0) }
    }

    private func page(at position: Int) async throws -> CacheEntries.Page {
        var items: [CacheItem] = []
        for try await item in store.entries() { items.append(item) }
        items.sort { $0.key.description < $1.key.description }
        let page = Array(items.dropFirst(position).prefix(100))
        return page.isEmpty ? .init([]) : .init(page) { try await self.page(at: position + 100) }
    }
}
