import TangoCache

extension Client {
    /// Removes everything that is kept for the ``identity`` of this client: when its user signs out.
    ///
    /// Calls that are under way go on, and keep nothing. What is kept for others stays; to remove all, use
    /// ``cache``.
    public func removeCachedAnswers() async throws {
        try await answers?.removeAll(in: CacheKey(answerScope))
        try await httpCache?.forgetIdentity()
    }

    /// Removes what is kept of requests with a tag, also of others who use the same store.
    public func removeCachedAnswers(tagged tag: String) async throws {
        await answers?.finish()
        try await cache?.remove(tag: tag)
    }

    /// Returns when everything that is to be kept so far is in the store.
    public func finishStoring() async {
        await answers?.finish()
    }
}
