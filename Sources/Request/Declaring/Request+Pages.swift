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
    public nonisolated final var pages: Pages<Output> {
        Pages(plan: Plan(self), paging: paging)
    }

    /// Returns the items of all pages, one after the other, if the output has them in a property.
    ///
    /// - Parameter items: The items of a page, as a key path or a closure.
    public nonisolated final func items<Item: Sendable>(
        _ items: @escaping @Sendable (Output) -> [Item]
    ) -> some AsyncSequence<Item, any Error> & Sendable {
        PageItems(pages: pages, items: items)
    }
}

extension Request where Output: Sequence, Output.Element: Sendable {
    /// The items of all pages, one after the other.
    public nonisolated final var items: some AsyncSequence<Output.Element, any Error> & Sendable {
        items { Array($0) }
    }
}
