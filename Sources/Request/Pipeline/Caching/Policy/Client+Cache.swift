extension Client {
    /// Removes all cached responses of this client's ``Configuration/identity``. Call it when the user signs out.
    ///
    /// Calls in flight continue, also those of other clients with the same store. Their responses are not cached, and
    /// later calls do not share them. Responses of other identities stay. To empty the whole store, call
    /// ``finishStoring()`` first, and then `removeAll()` of ``cache``, which does not know the pending writes of clients.
    ///
    /// If other processes use the store too, and it has a history, this also applies to their responses.
    public func removeCachedResponses() async throws {
        try await parts.removeCachedResponses(of: identity.current)
    }

    /// Returns the responses of a user in the store of the client; nil without a store.
    func responseStore(of identity: Identity) -> ResponseStore? {
        sharedStore.map { ResponseStore(shared: $0, identity: identity) }
    }

    /// Removes the cached responses of requests with a tag, also those of other clients with the same store.
    ///
    /// A response has the tags of the request that fetched it last. Calls in flight with the tag continue. Their
    /// responses may be older than the removal, so they are not cached.
    public func removeCachedResponses(tagged tag: String) async throws {
        changes.note([place(ofTag: tag)])
        guard let sharedStore else { return }
        try await Task { try await sharedStore.remove(.tag(tag)) }.value
    }

    /// Returns once all cache writes that have begun have finished.
    public func finishStoring() async {
        await sharedStore?.finish()
    }
}

extension RequestError {
    /// The detail of ``Code/notCached`` if the client has no cache.
    static let noCache = "the client has no cache: create it with one, as in Client(cache: .shared)"
}
