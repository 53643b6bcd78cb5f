/// The outputs of a call in order: the cached one first, and then the new one.
///
/// ```swift
/// for try await user in GetUser(id: 1).values {
///     print(user.name)
/// }
/// ```
///
/// There is one value if nothing is cached, if no request is sent, or if the server has nothing new. An error comes
/// last, so the cached value is delivered before it. If the policy serves a stale response because the server cannot be
/// reached, as ``CachePolicy/http`` does, there is no error. Then the response is marked as stale.
public struct CallValues<Output: Sendable>: AsyncSequence, Sendable {
    let begin: @Sendable () -> AsyncThrowingStream<Output, any Error>

    public func makeAsyncIterator() -> some AsyncIteratorProtocol<Output, any Error> {
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
    /// Leaving the loop does not cancel the call.
    public var values: CallValues<Output> {
        CallValues { self.outcome.values {} }
    }
}
