import TangoPromise

/// What a call delivers, one after the other: what is kept, and then what is new.
///
/// ```swift
/// for try await user in GetUser(id: 1).values {
///     print(user.name)
/// }
/// ```
///
/// There is one value where nothing was kept, or where nothing is asked for beyond that; and where the server says nothing
/// new. What comes of an error comes last: what was delivered before stays with whoever has it. Where a policy takes what is
/// kept for want of a server, as ``CachePolicy/http`` does, there is no error: the response says that it is stale.
public struct CallValues<Output: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Output
    public typealias Failure = any Error

    let begin: @Sendable () -> AsyncThrowingStream<Output, any Error>

    public func makeAsyncIterator() -> Iterator {
        Iterator(values: begin().makeAsyncIterator())
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var values: AsyncThrowingStream<Output, any Error>.Iterator

        public mutating func next() async throws -> Output? {
            try await next(isolation: #isolation)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Output? {
            if let value = try await values.next(isolation: actor) { return value }
            // It may have ended because its task was cancelled.
            try Task.checkCancellation()
            return nil
        }
    }
}

extension Call {
    /// What this call has delivered, and what it will: two values with ``CachePolicy/cacheThenNetwork``, else one.
    ///
    /// Leaving the loop leaves the call alone.
    public var values: CallValues<Output> {
        CallValues { self.outcome.values {} }
    }
}
