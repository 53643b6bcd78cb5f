/// The form in which an entry is written to a store: the encoded entry, large bodies in entries of their own, and the
/// keys of obsolete bodies.
struct StoreImage: Sendable {
    struct Body: Sendable {
        let key: CacheKey
        let data: Data
    }

    let entry: CacheEntry?
    let bodies: [Body]
    /// The keys of bodies that only the old entry referred to.
    let obsolete: [CacheKey]

    /// - Parameters:
    ///   - entry: The entry to write; nil to remove the present one.
    ///   - old: The present entry in the store.
    init(_ entry: CacheEntry?, over old: CacheEntry?, under key: CacheKey) throws {
        var entry = entry
        var bodies: [Body] = []
        var names = Set(old.map { StoredResponseCoding.responses($0).flatMap(\.content.names) } ?? [])
        if let new = entry, let responses = new.object as? StoredResponses {
            let all = responses.all.map { response in
                var response = response
                // A declared policy always reads the whole body, so it stays beside the head.
                guard response.declared == nil else { return response }
                for (name, data) in response.content.moveLargeParts(above: BodyRecorder.inlineLimit) {
                    bodies.append(Body(key: HTTPCacheKey.body(name, of: key), data: data))
                }
                return response
            }
            entry = all.isEmpty ? nil : StoredResponseCoding.entry(all, tags: new.tags)
            guard all.isEmpty || entry != nil else {
                throw CacheError(.invalid, "A field of the response holds a line break.")
            }
            names = names.union(responses.dropped).subtracting(all.flatMap(\.content.names))
        }
        self.entry = entry
        self.bodies = bodies
        obsolete = names.map { HTTPCacheKey.body($0, of: key) }
    }
}
