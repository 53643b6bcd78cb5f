import TangoCache

extension Client {
    /// Removes everything that is cached for the ``Configuration/identity`` of this client: when its user signs out.
    ///
    /// Calls in flight go on, those of other clients with the same store too. Their responses are not cached, and later calls do
    /// not share them. What is cached for other identities stays; to remove all, use ``cache``.
    public func removeCachedResponses() async throws {
        changes.note([identityPlace])
        guard let responses = httpCache?.responseStore else { return }
        // Also if the caller's task is cancelled: the screen that the user signs out on may go with it.
        try await Task { try await responses.shared.remove(.tag(responses.identityTag)) }.value
    }

    /// Removes what is cached of requests with a tag, also those of other clients with the same store. A response has the tags of the
    /// request that fetched it last.
    ///
    /// Calls with the tag that are in flight go on. Their responses may be from before, so they are not cached.
    public func removeCachedResponses(tagged tag: String) async throws {
        changes.note([place(ofTag: tag)])
        guard let sharedStore else { return }
        try await Task { try await sharedStore.remove(.tag(tag)) }.value
    }

    /// Returns when everything that is to be cached so far is in the store.
    public func finishStoring() async {
        await sharedStore?.finish()
    }
}

extension RequestError {
    /// The detail of ``Code/notCached`` if the client has no cache.
    static let noCache = "the client has no cache: make it with one, as in Client(cache: .shared)"
}
