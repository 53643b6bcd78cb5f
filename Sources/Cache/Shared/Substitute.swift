/// A memory store in the place of a store that cannot be opened, with the changes made meanwhile.
struct Substitute: Sendable {
    /// A change to make in the store once it opens.
    enum Change {
        case keys([CacheKey])
        case removal([CacheKey])

        /// A removal by tag, prefix or age. Only the store knows the affected entries, so the caller receives an error.
        case removalOfSome

        case removalOfAll

        var isRemoval: Bool {
            if case .keys = self { false } else { true }
        }
    }

    /// The interval between two attempts to open the store, in seconds.
    static let interval = 1

    /// The highest number of changed keys to remember. Beyond it, the store is emptied once it opens.
    static let most = 10_000

    let memory: MemoryStore

    /// The reason why the store cannot be opened.
    let error: any Error

    /// The time of the next attempt to open the store, in seconds.
    let due: Int

    private(set) var changed: Set<CacheKey> = []
    private(set) var isEmptied = false

    /// - Parameter former: The substitute before the last attempt to open the store, if there was one.
    init(replacing former: Substitute?, error: any Error, due: Int) {
        memory = former?.memory ?? MemoryStore()
        changed = former?.changed ?? []
        isEmptied = former?.isEmptied ?? false
        self.error = error
        self.due = due
    }

    mutating func note(_ change: Change) {
        switch change {
        case .keys(let keys), .removal(let keys): changed.formUnion(keys)
        case .removalOfSome: break
        case .removalOfAll: isEmptied = true
        }
        if changed.count > Self.most { isEmptied = true }
        if isEmptied { changed = [] }
    }

    /// The error of a removal that could not reach the store.
    var refusal: CacheError {
        CacheError(
            (error as? CacheError)?.code ?? .system,
            "The entries on disk were not removed, because the disk cannot be used. Try again later. \(error)",
            underlying: error)
    }

    /// Makes the changes in the store once it has opened.
    func move(to store: any CacheStore) async throws {
        if isEmptied {
            try await store.removeAll()
            var keys: [CacheKey] = []
            for try await item in memory.entries() { keys.append(item.key) }
            return try await move(keys, to: store)
        }
        try await move(Array(changed), to: store)
    }

    private func move(_ keys: [CacheKey], to store: any CacheStore) async throws {
        try await store.removeMany(keys.filter { memory.glance($0) == nil })
        for key in keys {
            guard let entry = memory.glance(key) else { continue }
            do {
                try await store.set(entry, for: key)
            } catch let error as CacheError where error.code == .tooLarge || error.code == .full {
                // The store has less room than memory. An older entry must not reappear.
                try await store.remove(key)
            }
        }
    }
}
