import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The responses of the HTTP cache in a store.
struct ResponseStore: Sendable {
    /// Of more variants of a URL, the oldest go.
    static let variantLimit = 8

    let shared: SharedStore
    /// What every entry of the identity is tagged with.
    let identityTag: String
    /// The place of everything that belongs to the identity.
    let identity: ChangeLog.Place

    init(_ shared: SharedStore, identity: String?) {
        self.shared = shared
        identityTag = Self.tag(identity: identity)
        self.identity = .identity(ResponseKey.scope(of: identity))
    }

    /// The tag of everything that is cached for an identity, or for none, by which signing out removes it.
    static func tag(identity: String?) -> String {
        "http " + ResponseKey.scope(of: identity)
    }

    var store: any CacheStore { shared.store }

    // MARK: Reading

    /// What is cached under a key.
    func responses(for key: CacheKey) async throws -> [StoredResponse] {
        guard let entry = try await shared.get(key) else { return [] }
        let responses = StoredResponseCoding.responses(entry)
        if entry.object == nil { shared.attach(StoredResponses(responses), to: entry, under: key) }
        return responses
    }

    /// What memory has under a key, which does not count as a use of it.
    func glance(_ key: CacheKey) -> (entry: CacheEntry, responses: StoredResponses)? {
        guard case .found(let entry) = shared.glance(key, isUse: false),
            let responses = entry.object as? StoredResponses
        else { return nil }
        return (entry, responses)
    }

    /// Keeps in memory what was made of a response to a request, as long as that is cached.
    func attach(
        _ output: any Sendable, by maker: Maker, to response: HTTPResponse, for request: HTTPRequest,
        under key: CacheKey
    ) {
        // Once more if the entry was replaced meanwhile, such as by itself when it has been written.
        for _ in 0..<3 {
            guard let (entry, responses) = glance(key),
                let source = responses.all.first(where: { stored in
                    stored.status == response.status && stored.matches(request.headers) && stored.body == response.body
                        && stored.headers["Content-Type"].hasSameBytes(as: response.headers["Content-Type"])
                }), !responses.made.contains(where: { $0.response == source.id && $0.maker == maker })
            else { return }
            shared.attach(responses.adding(output, by: maker, of: source.id), to: entry, under: key)
        }
    }

    // MARK: Changing

    /// Changes what is cached under a key. False if the store has no room for it: then the older responses go.
    ///
    /// - Parameters:
    ///   - condition: Holds as long as the change is wanted.
    ///   - cost: The bytes that it keeps until the store has them.
    ///   - instead: The change that is made if there is no room.
    ///   - edit: Returns the responses that are to be cached; nil for those that are.
    @discardableResult
    func change(
        _ key: CacheKey, if condition: ChangeLog.Guard? = nil, cost: Int = 0,
        report: @escaping StoreChange.Report = { _ in },
        instead: (@Sendable ([StoredResponse]) -> [StoredResponse]?)? = nil,
        _ edit: @escaping @Sendable ([StoredResponse]) -> [StoredResponse]?
    ) -> Bool {
        shared.change(
            key, StoreChange(kind(edit), if: condition, report: report), cost: cost, instead: instead.map(kind))
    }

    private func kind(_ edit: @escaping @Sendable ([StoredResponse]) -> [StoredResponse]?) -> StoreChange.Kind {
        .edit { entry in
            let old = entry.map { StoredResponseCoding.responses($0) } ?? []
            guard let new = edit(old)?.suffix(Self.variantLimit) else { return .keep }
            if new.isEmpty, entry == nil { return .keep }
            let tags = new.reduce(into: [identityTag] as Set) { $0.formUnion($1.tags) }
            var dropped = (entry?.object as? StoredResponses)?.dropped ?? []
            dropped.formUnion(old.flatMap(\.content.names))
            dropped.subtract(new.flatMap(\.content.names))
            let responses = StoredResponses(Array(new), dropped: dropped)
            return .set(CacheEntry(body: Data(), tags: tags, object: responses))
        }
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
