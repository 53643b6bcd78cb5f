import TangoCache

extension Client {
    /// Removes everything that is kept for the ``identity`` of this client: when its user signs out.
    ///
    /// Calls that are under way go on, and keep nothing. What is kept for others stays; to remove all, use
    /// ``cache``.
    public func removeCachedAnswers() async throws {
        // What was asked for in either way goes, even if the store fails at the other, or the caller's task is cancelled: the
        // screen that somebody signs out on may go with it.
        let isHTTPRemoved = await Task { try await httpCache?.shelf.removeAll() }.result
        try await Task { try await answers?.removeAll(in: CacheKey(answerScope)) }.value
        try isHTTPRemoved.get()
    }

    /// Removes what is kept of requests with a tag, also of others who use the same store.
    ///
    /// Calls of this client that are under way go on, and keep nothing: what they bring may be from before.
    public func removeCachedAnswers(tagged tag: String) async throws {
        guard let httpCache, let answers else { return }
        try await httpCache.shelf.changes.removing(nil) {
            try await Task { try await answers.removeAll(tagged: tag) }.value
        }
    }

    /// Returns when everything that is to be kept so far is in the store.
    public func finishStoring() async {
        await answers?.finish()
    }
}
