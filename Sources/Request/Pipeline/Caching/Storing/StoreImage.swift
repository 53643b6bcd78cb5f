/// The form in which an entry is written to a store: the encoded entry, large bodies in entries of their own, and the
/// keys of obsolete bodies.
struct StoreImage: Sendable {
    struct Body: Sendable {
        let key: CacheKey
        let data: Data
    }

    let entry: CacheEntry?
    var bodies: [Body] = []
    /// The keys of bodies that only the old entry referred to.
    var obsolete: [CacheKey] = []

    /// - Parameters:
    ///   - entry: The entry to write; nil to remove the present one.
    ///   - old: The present entry in the store.
    init(_ entry: CacheEntry?, over old: CacheEntry?, under key: CacheKey) throws {
        var oldNames = Set(old.map { StoredResponseCoding.responses($0).flatMap(\.content.names) } ?? [])
        guard let entry, let responses = entry.object as? StoredResponses else {
            self.entry = entry
            obsolete = oldNames.map { HTTPCacheKey.body($0, of: key) }
            return
        }
        oldNames.formUnion(responses.dropped)
        guard !responses.all.isEmpty else {
            self.entry = nil
            obsolete = oldNames.map { HTTPCacheKey.body($0, of: key) }
            return
        }
        var bodies: [Body] = []
        let all = responses.all.map { response in
            var response = response
            // A declared policy always reads the whole body, so it stays beside the head.
            guard response.declared == nil else { return response }
            for (name, data) in response.content.moveLargeParts(above: BodyRecorder.inlineLimit) {
                bodies.append(Body(key: HTTPCacheKey.body(name, of: key), data: data))
            }
            return response
        }
        guard let encoded = StoredResponseCoding.entry(all, tags: entry.tags) else {
            throw CacheError(.invalid, "A field of the response holds a line break.")
        }
        self.entry = encoded
        self.bodies = bodies
        let names = Set(all.flatMap(\.content.names))
        obsolete = oldNames.subtracting(names).map { HTTPCacheKey.body($0, of: key) }
    }
}
