/// The rule by which the next page of a list is found: see ``Request/pages``.
///
/// ```swift
/// final class GetRepositories: Request<[Repository]> {
///     override var endpoint: Endpoint { .get("/repositories", query: ["per_page": 100]) }
///     override var paging: Paging<[Repository]> { .linkHeader.limited(pages: 20) }
/// }
/// final class GetMessages: Request<Messages> {
///     override var endpoint: Endpoint { .get("/messages") }
///     override var paging: Paging<Messages> { .cursor(\.nextCursor, parameter: "after").prefetching() }
/// }
/// ```
public struct Paging<Output: Sendable>: Sendable {
    /// Returns the endpoint of the page after a page; nil after the last one.
    let next: @Sendable (Page<Output>) throws -> Endpoint?
    private(set) var prefetches = false
    private(set) var pageLimit: Int?
    private(set) var itemLimit: Int?

    private init(_ next: @escaping @Sendable (Page<Output>) throws -> Endpoint?) {
        self.next = next
    }

    /// The target of the `Link` header field with the relation `next` (RFC 8288).
    public static var linkHeader: Paging {
        Paging { page in
            guard
                let link = page.response?.links.first(where: {
                    $0.relations.contains("next") && $0.parameters["anchor"] == nil
                })
            else { return nil }
            var endpoint = page.endpoint
            endpoint.path = try PageAddress.url(link.target, from: page.url).absoluteString
            endpoint.query = [:]
            return endpoint
        }
    }

    /// A cursor in the output, which becomes a parameter of the query. Nil and an empty text end the list.
    ///
    /// It replaces an item of this name that the endpoint has in its query or in its path.
    ///
    /// - Parameters:
    ///   - cursor: The cursor of the next page, as a key path or a closure.
    ///   - parameter: The name of the parameter.
    public static func cursor(
        _ cursor: @escaping @Sendable (Output) -> String?, parameter: String = "cursor"
    ) -> Paging {
        Paging { page in
            guard let cursor = cursor(page.output), !cursor.isEmpty else { return nil }
            var endpoint = page.endpoint
            endpoint.replace(parameter, with: cursor.queryValue)
            return endpoint
        }
    }

    /// A number in the query, which grows by one with each page.
    ///
    /// It replaces an item of this name that the endpoint has in its query or in its path.
    ///
    /// - Parameters:
    ///   - parameter: The name of the parameter. The endpoint of the request may leave it out for the first page.
    ///   - first: The number of the first page.
    ///   - isLast: Returns whether a page is the last one.
    public static func pageNumber(
        parameter: String = "page", first: Int = 1, isLast: @escaping @Sendable (Output) -> Bool
    ) -> Paging {
        Paging { page in
            guard !isLast(page.output) else { return nil }
            var endpoint = page.endpoint
            endpoint.replace(parameter, with: (first + page.number).queryValue)
            return endpoint
        }
    }

    /// A closure that returns the endpoint of the page after a page; nil after the last one.
    public static func custom(_ next: @escaping @Sendable (Page<Output>) throws -> Endpoint?) -> Paging {
        Paging(next)
    }

    /// Returns the rule with a request for the next page as soon as a page has arrived, while its items are handled.
    ///
    /// Without it, a page is requested when the loop needs it. Leaving the loop cancels a request that is in flight.
    public func prefetching() -> Paging {
        var paging = self
        paging.prefetches = true
        return paging
    }

    /// Returns the rule with limits, after which the sequences end without an error. No page is requested that they exclude.
    ///
    /// - Parameters:
    ///   - pages: The highest number of pages.
    ///   - items: The highest number of items that ``Request/items(_:)`` delivers. ``Request/pages`` has no such limit.
    public func limited(pages: Int? = nil, items: Int? = nil) -> Paging {
        var paging = self
        paging.pageLimit = pages ?? pageLimit
        paging.itemLimit = items ?? itemLimit
        return paging
    }
}

extension Paging where Output: Collection {
    /// A number in the query, which grows by one with each page. An empty page is the last one.
    public static func pageNumber(parameter: String = "page", first: Int = 1) -> Paging {
        pageNumber(parameter: parameter, first: first) { $0.isEmpty }
    }
}

/// A page that has arrived.
public struct Page<Output: Sendable>: Sendable {
    /// The number of the page, from 1.
    public let number: Int
    /// The output of its request.
    public let output: Output
    /// The response; it may be a cached one.
    public let response: HTTPResponse?
    /// The endpoint of its request, to be changed for the next page.
    public let endpoint: Endpoint
    /// The URL that its request was sent to.
    let url: URL
}
