/// A store in memory in the place of one that cannot be opened, and what has changed meanwhile.
struct Substitute: Sendable {
    /// A change that the store has to be told of once it opens.
    enum Change {
        case keys([CacheKey])
        case removal([CacheKey])

        /// A removal of entries by tag, prefix or age: which ones, only the store knows. The caller is told that it failed.
        case removalOfSome

        case removalOfAll

        var isRemoval: Bool {
            if case .keys = self { false } else { true }
        }
    }

    /// How long opening is not tried again, in seconds.
    static let interval = 1

    /// More keys are not remembered: then the store is emptied once it opens.
    static let most = 10_000

    let memory: MemoryStore

    /// The reason why the store cannot be opened.
    let error: any Error

    /// When opening is tried again, in seconds.
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

    /// What a removal throws that could not reach the store.
    var refusal: CacheError {
        CacheError(
            (error as? CacheError)?.code ?? .system,
            "Entries on disk cannot be removed, because the disk cannot be used: \(error)", underlying: error)
    }

    /// Makes the changes in the store, which has opened.
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
                // The store has less room than memory. An older entry must not come back.
                try await store.remove(key)
            }
        }
    }
}
