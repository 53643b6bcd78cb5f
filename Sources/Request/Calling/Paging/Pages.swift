/// The pages of a list, requested one after the other: see ``Request/pages``.
///
/// Each iteration begins with the first page. Each page is a call of its own, with the policies of the request: its cache policy,
/// retries and timeouts apply to each page. Leaving the loop cancels the call in flight.
struct Pages<Output: Sendable>: AsyncSequence, Sendable {
    let plan: Plan<Output>
    let paging: Paging<Output>

    func makeAsyncIterator() -> Iterator {
        Iterator(reader: PageReader(plan, paging))
    }

    struct Iterator: AsyncIteratorProtocol {
        let reader: PageReader<Output>

        mutating func next() async throws -> Output? {
            let page = try await reader.next()
            reader.prefetch()
            return page
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Output? {
            try await next()
        }
    }
}

/// The items of all pages of a list: see ``Request/items(_:)``.
struct PageItems<Output: Sendable, Item: Sendable>: AsyncSequence, Sendable {
    let pages: Pages<Output>
    let items: @Sendable (Output) -> [Item]

    func makeAsyncIterator() -> Iterator {
        Iterator(reader: PageReader(pages.plan, pages.paging), items: items, rest: pages.paging.itemLimit)
    }

    struct Iterator: AsyncIteratorProtocol {
        let reader: PageReader<Output>
        let items: @Sendable (Output) -> [Item]
        /// The number of items that may still be delivered; nil for no limit.
        var rest: Int?
        var current: IndexingIterator<[Item]> = [].makeIterator()

        mutating func next() async throws -> Item? {
            while true {
                if let rest, rest <= 0 {
                    reader.close()
                    return nil
                }
                if let item = current.next() {
                    rest = rest.map { $0 - 1 }
                    return item
                }
                guard let page = try await reader.next() else { return nil }
                let found = items(page)
                // The page may have all that may still be delivered.
                if rest.map({ found.count < $0 }) ?? true { reader.prefetch() }
                current = found.makeIterator()
            }
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Item? {
            try await next()
        }
    }
}

/// Requests pages, one after the other. Releasing it cancels the call in flight.
final class PageReader<Output: Sendable> {
    private let plan: Plan<Output>
    private let paging: Paging<Output>
    private var number = 0
    private var seen: Set<ExactString> = []
    /// The request for the next page, or the reason why there is none: nil before the first page, and after the last one.
    private var following: Result<Following, any Error>?
    private var isOver = false

    private struct Following {
        let plan: Plan<Output>
        let endpoint: Endpoint
        let message: HTTPRequest
        /// The call, if it has been started.
        var call: Call<Output>?
    }

    init(_ plan: Plan<Output>, _ paging: Paging<Output>) {
        self.plan = plan
        self.paging = paging
    }

    deinit {
        close()
    }

    /// Ends the sequence, and cancels a page that was requested early.
    func close() {
        isOver = true
        if case .success(let next) = following { next.call?.cancel() }
        following = nil
    }

    func next() async throws -> Output? {
        if let limit = paging.pageLimit, number >= limit { close() }
        guard !isOver else { return nil }
        do {
            return try await readPage()
        } catch {
            close()
            throw error
        }
    }

    /// Requests the next page early, if the rule says so.
    func prefetch() {
        guard paging.prefetches, case .success(var next) = following, next.call == nil else { return }
        next.call = Call.start(next.plan, lifetime: .managed)
        following = .success(next)
    }

    private func readPage() async throws -> Output? {
        if number == 0 { following = try first().map { .success($0) } }
        guard let current = try following?.get() else {
            isOver = true
            return nil
        }
        number += 1
        let call = current.call ?? Call.start(current.plan, lifetime: .managed)
        let output = try await call.value
        let response = call.response
        let page = Page(
            number: number, output: output, response: response, endpoint: current.endpoint,
            url: response?.request?.url ?? current.message.url)
        following = nil
        if let limit = paging.pageLimit, number >= limit { return output }
        // The page is delivered although the next one cannot be requested.
        do {
            following = try following(page).map { .success($0) }
        } catch {
            following = .failure(error)
        }
        return output
    }

    private func first() throws -> Following? {
        if plan.common.isMessage { return nil }
        let message = try plan.common.message()
        if let address = PageAddress.address(of: message) { seen.insert(ExactString(address)) }
        return Following(plan: plan, endpoint: plan.common.endpoint, message: message)
    }

    /// Returns the request for the page after a page; nil after the last one.
    private func following(_ page: Page<Output>) throws -> Following? {
        guard let endpoint = try paging.next(page) else { return nil }
        let client = plan.common.client
        var common = plan.common.page(endpoint, keepingCredentials: true)
        let url = try common.message().url
        let first = try plan.common.message().url
        let credentials = PageAddress.credentials(to: url, first: first, allowsCredentials: client.allowsCredentials)
        if credentials == .removed { common = plan.common.page(endpoint, keepingCredentials: false) }
        let message = try common.message()
        try PageAddress.check(
            message, after: page.url, allowsInsecure: plan.common.redirectPolicy.allowsInsecure, seen: &seen)
        let next = Plan(common: common, decoder: plan.decoder, callbackScheduler: plan.callbackScheduler)
        return Following(plan: next, endpoint: endpoint, message: message)
    }
}
