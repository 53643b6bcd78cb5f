import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The responses in a store: read at once, changed one after the other.
struct ResponseShelf: Sendable {
    /// Of more, the oldest go.
    static let variantLimit = 8

    let store: any CacheStore
    /// Where the store answers at once.
    private let memory: MemoryStore?
    var tags: Set<String>
    let changes = Changes()

    init(store: any CacheStore, tags: Set<String>) {
        self.store = store
        memory = store as? MemoryStore ?? (store as? TieredStore)?.memory
        self.tags = tags
    }

    /// Whether it can tell at once what it has.
    var isInMemory: Bool { memory != nil }

    /// What is kept for a key.
    func responses(for key: CacheKey) async throws -> [StoredResponse] {
        try await removeOwed(for: key)
        guard let entry = try await store.get(key) else { return [] }
        let responses = StoredResponseCoding.responses(entry)
        if entry.object == nil { memory?.attach(StoredResponses(responses), to: entry, under: key) }
        return responses
    }

    /// What memory has for a key, which does not count as a use of it.
    func glance(_ key: CacheKey) -> (entry: CacheEntry, responses: StoredResponses)? {
        guard let entry = memory?.glance(key), let responses = entry.object as? StoredResponses,
            changes.owed(for: key) == nil
        else { return nil }
        return (entry, responses)
    }

    /// Notes that what memory has for a key was of use.
    func use(_ key: CacheKey) {
        _ = memory?.peek(key)
    }

    /// Keeps in memory what was made of a response to a request, as long as that is kept.
    func attach(
        _ output: any Sendable, by maker: Maker, to response: HTTPResponse, for request: HTTPRequest,
        under key: CacheKey
    ) {
        guard let (entry, responses) = glance(key),
            let source = responses.all.first(where: { stored in
                stored.status == response.status && stored.matches(request.headers) && stored.body == response.body
                    && stored.headers["Content-Type"] == response.headers["Content-Type"]
            })
        else { return }
        memory?.attach(responses.adding(output, by: maker, of: source.id), to: entry, under: key)
    }

    /// Changes what is kept for a key, and adds tags to it. Bodies in entries of their own that nothing refers to any more
    /// are removed; and all of it, if it was removed meanwhile by others, who would find it there again.
    ///
    /// It goes on when its caller is cancelled.
    ///
    /// - Parameter bodies: Bodies in entries of their own that were written for it.
    func change(
        _ key: CacheKey, tags: Set<String> = [], bodies: [String] = [],
        _ change: @escaping @Sendable ([StoredResponse]) -> [StoredResponse]
    ) async throws {
        try await Task {
            await Turns.shared.take(key)
            defer { Turns.shared.leave(key) }
            try await removeOwed(for: key)
            let mark = changes.mark
            let entry = try await store.get(key)
            let old = entry.map { StoredResponseCoding.responses($0) } ?? []
            let tags = self.tags.union(tags).union(entry?.tags ?? [])
            let new = Array(change(old).suffix(Self.variantLimit))
            if new.isEmpty {
                if !old.isEmpty { try await store.remove(key) }
            } else if let entry = StoredResponseCoding.entry(new, tags: tags) {
                try await store.set(entry, for: key)
            } else {
                throw CacheError(.invalid, "A field of the response holds a line break.")
            }
            var left = Set(old.flatMap(\.content.names) + bodies)
            if changes.hasRemoved(key, since: mark) {
                try await store.remove(key)
                left.formUnion(new.flatMap(\.content.names))
            } else {
                left.subtract(new.flatMap(\.content.names))
            }
            if !left.isEmpty { try await store.removeMany(left.map { HTTPCacheKey.body($0, of: key) }) }
        }.value
    }

    /// Removes what is kept for a key, also what is on its way.
    func remove(_ key: CacheKey) async throws {
        changes.note(key)
        try await change(key) { _ in [] }
    }

    /// Removes everything whose keys begin like this, also what is on its way. If the store fails, nobody is given it, and
    /// whoever comes next tries again.
    func removeAll(_ prefix: CacheKey) async throws {
        try await changes.removing(prefix) {
            do {
                try await Task { _ = try await store.remove(prefix: prefix) }.value
                changes.owe(prefix, false)
            } catch {
                changes.owe(prefix, true)
                throw error
            }
        }
    }

    private func removeOwed(for key: CacheKey) async throws {
        while let prefix = changes.owed(for: key) { try await removeAll(prefix) }
    }

    /// Removes everything that is kept with the tags of all, also what is on its way.
    func removeAll() async throws {
        try await changes.removing(nil) {
            try await Task { for tag in tags { _ = try await store.remove(tag: tag) } }.value
        }
    }

    /// A writer of a body in an entry of its own, and the name of the body.
    func bodyWriter(for key: CacheKey) async throws -> (writer: CacheWriter, name: String) {
        let name = Self.newName()
        let entry = CacheEntry(body: Data(), tags: tags)
        return (try await store.writer(for: HTTPCacheKey.body(name, of: key), entry: entry), name)
    }

    func removeBody(_ name: String, of key: CacheKey) async {
        try? await store.remove(HTTPCacheKey.body(name, of: key))
    }

    /// A name that no body has ever had.
    private static func newName() -> String {
        String(UInt64.random(in: 0...UInt64.max), radix: 36) + String(UInt64.random(in: 0...UInt64.max), radix: 36)
    }
}
