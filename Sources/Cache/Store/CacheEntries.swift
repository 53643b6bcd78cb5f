/// A sequence of all entries of a store without their bodies, read page by page.
///
/// ```swift
/// for try await item in store.entries() where item.size > 1_000_000 {
///     print(item.key, item.size)
/// }
/// ```
///
/// A store of your own creates it from an array, or from pages that are read on demand.
public struct CacheEntries: AsyncSequence, Sendable {
    /// A part of the listing, with the way to the next part.
    public struct Page: Sendable {
        /// The entries of this page. A page may be empty and still have a next one.
        public var items: [CacheItem]

        /// Reads the next page; nil on the last page.
        public var next: (@Sendable () async throws -> Page)?

        /// Creates a page.
        public init(_ items: [CacheItem], next: (@Sendable () async throws -> Page)? = nil) {
            self.items = items
            self.next = next
        }
    }

    let first: @Sendable () async throws -> Page

    /// Creates a listing whose first page is read when iteration begins.
    public init(first: @escaping @Sendable () async throws -> Page) {
        self.first = first
    }

    /// Creates a listing of the given entries.
    public init(_ items: [CacheItem]) {
        first = { Page(items) }
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(page: Page([], next: first))
    }

    /// An iterator that reads page after page.
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
