/// The outputs of a call in order: the cached one first, and then the new one.
struct CallValues<Output: Sendable>: AsyncSequence, Sendable {
    let begin: @Sendable () -> AsyncThrowingStream<Output, any Error>

    func makeAsyncIterator() -> Iterator {
        Iterator(values: begin().makeAsyncIterator())
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var values: AsyncThrowingStream<Output, any Error>.Iterator

        mutating func next() async throws -> Output? {
            try await next(isolation: #isolation)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Output? {
            if let value = try await values.next(isolation: actor) { return value }
            // The stream also ends if its task is cancelled.
            try Task.checkCancellation()
            return nil
        }
    }
}

extension Call {
    /// The outputs that this call has delivered and will deliver: two with ``CachePolicy/cacheThenNetwork``, else one.
    ///
    /// Leaving the loop does not cancel the call. The rules are those of ``Request/values``.
    public var values: some AsyncSequence<Output, any Error> & Sendable {
        CallValues { self.outcome.values {} }
    }
}
