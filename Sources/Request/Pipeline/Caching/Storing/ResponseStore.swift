/// The responses in a store, as used by declared policies and by the HTTP cache.
struct ResponseStore: Sendable {
    /// The highest number of variants under a key. If there are more, the oldest are removed.
    static let variantLimit = 8

    let shared: SharedStore
    let identity: Identity

    var store: any CacheStore { shared.store }

    // MARK: Reading

    /// Returns the responses under a key; nil if there is no entry. An entry that cannot be read has no responses.
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

    /// Returns the entry in memory and its responses. This does not count as a use.
    func peek(_ key: CacheKey) -> (entry: CacheEntry, responses: StoredResponses)? {
        guard case .found(let entry) = shared.peek(key, isUse: false),
            let responses = entry.object as? StoredResponses
        else { return nil }
        return (entry, responses)
    }

    /// Holds an output in memory beside the response that it was decoded from, as long as that is cached.
    func attach(_ decoded: StoredResponses.Decoded, under key: CacheKey) {
        // Once more if the entry was replaced meanwhile, such as by itself when it has been written.
        for _ in 0..<3 {
            guard let (entry, responses) = peek(key), responses.all.contains(where: { $0.id == decoded.response }),
                !responses.decoded.contains(where: {
                    $0.response == decoded.response && $0.decodingKey == decoded.decodingKey
                })
            else { return }
            shared.attach(responses.adding(decoded), to: entry, under: key)
        }
    }

    // MARK: Changing

    /// Changes the responses under a key. Returns false if too many bytes wait to be written; then `instead` is
    /// applied.
    ///
    /// - Parameters:
    ///   - condition: The condition under which the change is wanted; nil if it always is.
    ///   - cost: The bytes that wait until the store has them.
    ///   - keepsOutputs: A Boolean value that indicates whether outputs in memory belong to the changed responses too.
    ///   - instead: The change that is made if there is no room. By default, the present entry is removed.
    ///   - edit: Returns the new responses; nil to change nothing.
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

    /// Returns the change that stores a response and its output, in place of the responses that match a request.
    func setting(_ new: StoredResponse, decoded: StoredResponses.Decoded?, for headers: Headers) -> StoreChange.Kind {
        let outputs = [decoded].compactMap(\.self).filter { $0.response == new.id }
        // A response that does not vary replaces all others, so the present entry need not be read.
        guard !new.selecting.isEmpty else {
            return .set(entry([new], outputs, dropped: []))
        }
        return kind(keepsOutputs: true, adding: outputs) { stored in
            stored.filter { !$0.matches(headers) } + [new]
        }
    }

    private func kind(
        keepsOutputs: Bool = false, adding outputs: [StoredResponses.Decoded] = [],
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
            var decoded = outputs
            if keepsOutputs, let present {
                decoded = present.decoded.filter { decoded in new.contains { $0.id == decoded.response } } + outputs
            }
            return .set(self.entry(Array(new), decoded, dropped: dropped))
        }
    }

    private func entry(
        _ responses: [StoredResponse], _ decoded: [StoredResponses.Decoded], dropped: Set<String>
    ) -> CacheEntry {
        let tags = responses.reduce(into: [identity.tag] as Set) { $0.formUnion($1.tags) }
        return CacheEntry(
            body: Data(), tags: tags, object: StoredResponses(responses, decoded: decoded, dropped: dropped))
    }

    /// Removes all responses under a key. Returns once they are removed.
    func remove(_ key: CacheKey) async throws {
        try await shared.carryOut([(key, kind { $0.isEmpty ? nil : [] })])
    }

    /// Removes responses that no call can use, unless others have replaced them since they were read.
    func remove(_ responses: StoredResponses, under key: CacheKey) {
        let ids = responses.all.map(\.id)
        let kind = StoreChange.Kind.edit { entry in
            entry.map { StoredResponseCoding.responses($0).map(\.id) == ids } == true ? .remove : .keep
        }
        shared.change(key, StoreChange(kind))
    }

    // MARK: Bodies

    /// Returns a writer of a body in an entry of its own, and the name of the body.
    func bodyWriter(for key: CacheKey, tags: Set<String>) async throws -> (writer: CacheWriter, name: String) {
        let name = StoredContent.newName()
        let entry = CacheEntry(body: Data(), tags: tags.union([identity.tag]))
        return (try await store.writer(for: HTTPCacheKey.body(name, of: key), entry: entry), name)
    }

    /// Removes a body that nothing refers to.
    func removeBody(_ name: String, of key: CacheKey) {
        let key = HTTPCacheKey.body(name, of: key)
        shared.change(key, StoreChange(.remove))
    }
}
