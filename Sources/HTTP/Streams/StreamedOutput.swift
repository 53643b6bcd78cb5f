/// An output that is a sequence, delivered while the body of its response still arrives: ``ByteStream``, ``Lines``,
/// ``NDJSON`` and ``EventStream``.
///
/// ```swift
/// final class GetLog: Request<Lines> {
///     override var endpoint: Endpoint { .get("/log") }
/// }
/// ```
/// ```swift
/// for try await line in try await GetLog().promise.value {
///     show(line)
/// }
/// ```
///
/// A request with such an output succeeds once the head of the response has arrived and its ``Request/validation`` has
/// accepted it. A refused response is a ``RequestError`` as for any other request, with the beginning of its body. The body is
/// read for no longer than the `idle` time of ``Request/timeouts``.
///
/// **One reader, with back-pressure.** If the reader waits, the server waits. A second loop over the same output throws
/// ``RequestError/Code/bodyAlreadyRead``.
///
/// **The call ends with the body.** Leaving the loop, cancelling its task, and releasing the output unread each close the
/// connection and cancel the call. The `total` time of ``Request/timeouts``, ``Client/cancelAll(tagged:)`` and
/// ``Client/shutdown()`` apply until then. A request or a call that you keep also keeps its output.
public protocol StreamedOutput: AsyncSequence, Sendable where Element: Sendable {
    /// The serializer of requests that declare none.
    static var serializer: Serializer<Self> { get }

    /// The response, without its body.
    var response: HTTPResponse { get }
}

extension StreamedOutput {
    /// Calls a closure with each element, one after the other, on a background thread. The promise is fulfilled at the end of the body.
    ///
    /// The next element is read when the closure has returned. An error that it throws rejects the promise and closes the
    /// connection, as does cancelling the promise.
    @discardableResult
    public func forEach(_ body: @escaping @Sendable (Element) throws -> Void) -> Promise<Void> {
        Promise { for try await element in self { try body(element) } }
    }

    /// Calls a closure with each element, on a scheduler.
    @discardableResult
    public func forEach(
        on scheduler: Scheduler, _ body: @escaping @Sendable (Element) throws -> Void
    ) -> Promise<Void> {
        Promise {
            for try await element in self {
                try await Promise.fulfilled(element, on: scheduler).next { try body($0) }.value
            }
        }
    }

    /// Calls a closure with each element, on the main actor.
    @discardableResult
    public func forEach(
        on scheduler: MainScheduler, _ body: @escaping @MainActor (Element) throws -> Void
    ) -> Promise<Void> {
        Promise { for try await element in self { try await body(element) } }
    }

    /// Calls an asynchronous closure with each element.
    @discardableResult
    public func forEach(
        on scheduler: TaskScheduler, _ body: @escaping @Sendable (Element) async throws -> Void
    ) -> Promise<Void> {
        Promise { for try await element in self { try await body(element) } }
    }

    static var anySerializer: any Sendable { serializer }
}
