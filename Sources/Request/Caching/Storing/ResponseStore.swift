import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The responses in a store: what lies below the rules of declared policies and those of HTTP.
struct ResponseStore: Sendable {
    /// The number of variants of a URL. Older ones are removed.
    static let variantLimit = 8

    let shared: SharedStore
    /// The tag of every entry of the identity.
    let identityTag: String
    /// The place of everything that belongs to the identity.
    let identity: ChangeLog.Place

    init(_ shared: SharedStore, identity: String?) {
        self.shared = shared
        identityTag = Self.tag(identity: identity)
        self.identity = .identity(ResponseKey.scope(of: identity))
    }

    /// The tag of everything that is cached for an identity, or for none. Signing out removes it.
    static func tag(identity: String?) -> String {
        "http " + ResponseKey.scope(of: identity)
    }

    var store: any CacheStore { shared.store }

    // MARK: Reading

    /// Returns what is cached under a key; nil if there is no entry. An entry that cannot be read has no responses.
    func content(of key: CacheKey) async throws -> StoredResponses? {
        guard let entry = try await shared.get(key) else { return nil }
        if let responses = entry.object as? StoredResponses { return responses }
        let responses = StoredResponses(StoredResponseCoding.responses(entry))
        shared.attach(responses, to: entry, under: key)
        return responses
    }

    func responses(for key: CacheKey) async throws -> [StoredResponse] {
        try await content(of: key)?.all ?? []
    }

    /// Returns what memory has under a key. It does not count as a use.
    func peek(_ key: CacheKey) -> (entry: CacheEntry, responses: StoredResponses)? {
        guard case .found(let entry) = shared.glance(key, isUse: false),
            let responses = entry.object as? StoredResponses
        else { return nil }
        return (entry, responses)
    }

    /// Holds an output in memory beside the response that it was made of, as long as that is cached.
    func attach(_ made: StoredResponses.Made, under key: CacheKey) {
        // Once more if the entry was replaced meanwhile, such as by itself when it has been written.
        for _ in 0..<3 {
            guard let (entry, responses) = peek(key), responses.all.contains(where: { $0.id == made.response }),
                !responses.made.contains(where: { $0.response == made.response && $0.maker == made.maker })
            else { return }
            shared.attach(responses.adding(made), to: entry, under: key)
        }
    }

    // MARK: Changing

    /// Changes what is cached under a key. False if the store has no room for it: then the older responses go.
    ///
    /// - Parameters:
    ///   - condition: Holds as long as the change is wanted.
    ///   - cost: The bytes that wait until the store has them.
    ///   - keepsOutputs: Whether outputs in memory belong to the changed responses too.
    ///   - instead: The change that is made if there is no room.
    ///   - edit: Returns the responses that are to be cached; nil if nothing is to be changed.
    @discardableResult
    func change(
        _ key: CacheKey, if condition: ChangeLog.Guard? = nil, cost: Int = 0, keepsOutputs: Bool = false,
        report: @escaping StoreChange.Report = { _ in },
        instead: (@Sendable ([StoredResponse]) -> [StoredResponse]?)? = nil,
        _ edit: @escaping @Sendable ([StoredResponse]) -> [StoredResponse]?
    ) -> Bool {
        shared.change(
            key, StoreChange(kind(keepsOutputs: keepsOutputs, edit), if: condition, report: report), cost: cost,
            instead: instead.map { kind($0) })
    }

    /// The change that stores a response in place of those that match a request, with the output that was made of it.
    func setting(_ new: StoredResponse, made: StoredResponses.Made?, for headers: Headers) -> StoreChange.Kind {
        let outputs = [made].compactMap(\.self).filter { $0.response == new.id }
        // A response that does not vary takes the place of all: nothing has to be read for that.
        guard !new.selecting.isEmpty else {
            return .set(entry([new], outputs, dropped: []))
        }
        return kind(keepsOutputs: true, adding: outputs) { stored in
            stored.filter { !$0.matches(headers) } + [new]
        }
    }

    private func kind(
        keepsOutputs: Bool = false, adding outputs: [StoredResponses.Made] = [],
        _ edit: @escaping @Sendable ([StoredResponse]) -> [StoredResponse]?
    ) -> StoreChange.Kind {
        .edit { entry in
            let old = entry.map { StoredResponseCoding.responses($0) } ?? []
            guard let new = edit(old)?.suffix(Self.variantLimit) else { return .keep }
            if new.isEmpty, entry == nil { return .keep }
            let present = entry?.object as? StoredResponses
            var dropped = present?.dropped ?? []
            dropped.formUnion(old.flatMap(\.content.names))
            dropped.subtract(new.flatMap(\.content.names))
            var made = outputs
            if keepsOutputs, let present {
                made = present.made.filter { made in new.contains { $0.id == made.response } } + outputs
            }
            return .set(self.entry(Array(new), made, dropped: dropped))
        }
    }

    private func entry(
        _ responses: [StoredResponse], _ made: [StoredResponses.Made], dropped: Set<String>
    ) -> CacheEntry {
        let tags = responses.reduce(into: [identityTag] as Set) { $0.formUnion($1.tags) }
        return CacheEntry(
            body: Data(), tags: tags, object: StoredResponses(responses, made: made, dropped: dropped))
    }

    /// Removes everything under a key, and returns when it is gone.
    func remove(_ key: CacheKey) async throws {
        try await shared.carryOut([(key, kind { $0.isEmpty ? nil : [] })])
    }

    // MARK: Bodies

    /// A writer of a body in an entry of its own, and the name of the body.
    func bodyWriter(for key: CacheKey, tags: Set<String>) async throws -> (writer: CacheWriter, name: String) {
        let name = StoredContent.newName()
        let entry = CacheEntry(body: Data(), tags: tags.union([identityTag]))
        return (try await store.writer(for: HTTPCacheKey.body(name, of: key), entry: entry), name)
    }

    /// Removes a body that nothing refers to.
    func removeBody(_ name: String, of key: CacheKey) {
        let key = HTTPCacheKey.body(name, of: key)
        shared.change(key, StoreChange(.remove))
    }
}
