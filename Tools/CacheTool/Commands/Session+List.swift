import TangoCache

extension Session {
    /// Prints the selected entries in the selected order.
    func list(_ listing: Listing, json: Bool) async throws -> ExitCode {
        let now = console.now()
        var items = try await items { listing.filter.accepts($0, at: now) }
        if let order = listing.order { items = order.sort(items) }
        if listing.isReversed { items.reverse() }
        let shown = Array(items.prefix(listing.limit ?? items.count))
        try print(shown, of: items, json: json)
        return items.isEmpty ? .nothing : .done
    }

    private func print(_ shown: [CacheItem], of items: [CacheItem], json: Bool) throws {
        if json {
            return try print([
                ("count", .number(items.count)),
                ("bytes", .number(items.bytes)),
                ("entries", .list(shown.map { .object($0.members) })),
            ])
        }
        guard !items.isEmpty else { return console.complain("no entry matches.") }
        try print(shown)
        let count = shown.count < items.count ? "\(shown.count) of " : ""
        try console.print("\n\(count)\(Human.entries(items.count)), \(Human.size(items.bytes))")
    }

    /// Prints a table of entries.
    func print(_ items: [CacheItem]) throws {
        try console.print(Table(items, at: console.now()))
    }
}

extension [CacheItem] {
    /// The size of all bodies.
    var bytes: Int {
        reduce(0) { $0 &+ $1.size }
    }
}
