extension Request {
    /// The pages of a list, by the rule of ``paging``.
    ///
    /// ```swift
    /// for try await page in GetRepositories().pages {
    ///     show(page.count)
    /// }
    /// for try await repository in GetRepositories().items {
    ///     show(repository.name)
    /// }
    /// ```
    ///
    /// A page that lies at another origin than the first one is requested without credentials, unless the client trusts both:
    /// see ``Client/Configuration/trustedOrigins``. A page that leads from `https` to `http`, and a page that was requested
    /// before, throw ``RequestError/Code/badPage``.
    public nonisolated final var pages: some AsyncSequence<Output, any Error> & Sendable {
        Pages(plan: Plan(self), paging: paging)
    }

    /// Returns the items of all pages, one after the other, if the output has them in a property.
    ///
    /// - Parameter items: The items of a page, as a key path or a closure.
    public nonisolated final func items<Item: Sendable>(
        _ items: @escaping @Sendable (Output) -> [Item]
    ) -> some AsyncSequence<Item, any Error> & Sendable {
        PageItems(pages: Pages(plan: Plan(self), paging: paging), items: items)
    }
}

extension Request where Output: Sequence, Output.Element: Sendable {
    /// The items of all pages, one after the other.
    public nonisolated final var items: some AsyncSequence<Output.Element, any Error> & Sendable {
        items { Array($0) }
    }
}

extension Request {
    /// The cached output, and then the new one: for a screen that shows something at once.
    ///
    /// ```swift
    /// for try await user in GetUser(id: 1).values {
    ///     print(user.name)
    /// }
    /// ```
    ///
    /// Each iteration starts a call. If the ``cachePolicy`` reads the cache first, the call sends the request in any
    /// case, as ``CachePolicy/cacheThenNetwork`` does. With ``CachePolicy/http``, a fresh response is the only value. A
    /// stale response comes first, unless its server forbids that. The response of the server follows if it differs.
    /// With any other policy, there is one value. Leaving the loop cancels the call.
    ///
    /// There is one value too if nothing is cached, if no request is sent, or if the server has nothing new. An error comes
    /// last, so the cached value is delivered before it. If the policy serves a stale response because the server cannot be
    /// reached, as ``CachePolicy/http`` does, there is no error. Then the response is marked as stale.
    public nonisolated final var values: some AsyncSequence<Output, any Error> & Sendable {
        let plan = Plan(self, follows: true)
        return CallValues {
            let call = Call.start(plan, lifetime: .managed)
            return call.outcome.values { call.cancel() }
        }
    }
}
