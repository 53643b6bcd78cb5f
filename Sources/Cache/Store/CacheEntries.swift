/// All entries of a store without their bodies, a page at a time.
///
/// ```swift
/// for try await item in store.entries() where item.size > 1_000_000 {
///     print(item.key, item.size)
/// }
/// ```
///
/// A store of your own makes it from an array, or from pages that are read when somebody gets there.
public struct CacheEntries: AsyncSequence, Sendable {
    /// A part of the listing, and the way to the next part.
    public struct Page: Sendable {
        /// The entries of this page. A page may be empty and still have a next one.
        public var items: [CacheItem]

        /// Reads the page that follows; nil on the last one.
        public var next: (@Sendable () async throws -> Page)?

        /// A page.
        public init(_ items: [CacheItem], next: (@Sendable () async throws -> Page)? = nil) {
            self.items = items
            self.next = next
        }
    }

    /// Reads the first page.
    let first: @Sendable () async throws -> Page

    /// The listing that begins with a page, which is read when somebody iterates.
    public init(first: @escaping @Sendable () async throws -> Page) {
        self.first = first
    }

    /// The listing of entries that are at hand.
    public init(_ items: [CacheItem]) {
        first = { Page(items) }
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(page: Page([], next: first))
    }

    /// Reads page after page.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var page: Page
        private var position = 0

        fileprivate init(page: Page) {
            self.page = page
        }

        public mutating func next() async throws -> CacheItem? {
            while position == page.items.count {
                guard let next = page.next else { return nil }
                page.next = nil
                page = try await next()
                position = 0
            }
            defer { position += 1 }
            return page.items[position]
        }
    }
}
