import Synchronization

/// The body of a streamed call, for its reader. The call ends with it.
///
/// Only the reader holds it: if it is released unread, the call is cancelled.
final class CallBody: BodySource {
    let core: CallCore
    private let current: Mutex<Current>

    private struct Current {
        var stream: BodyStream
        var reader: BodyStream.Reader
    }

    init(_ stream: BodyStream, of core: CallCore) {
        self.core = core
        current = Mutex(Current(stream: stream, reader: stream.reader()))
    }

    deinit {
        cancel()
    }

    func next() async throws -> Data? {
        do {
            let portion = try await portion()
            if portion == nil { end() }
            return portion
        } catch {
            throw ended(by: error)
        }
    }

    func fail(_ error: any Error) {
        _ = ended(by: error)
    }

    func cancel() {
        core.end(CancellationError(), as: .cancelled)
        current.withLock(\.stream).cancel()
    }

    var ending: BodyStream.Ending? { current.withLock(\.stream).ending }
}

extension CallBody: EndedSource {
    var failure: (any Error)? { core.bodyFailure }

    func ended() async {
        for await state in core.states where state.isFinished { return }
    }
}

/// The steps of a reader that may reconnect, so that the call does not end with the first body.
extension CallBody {
    /// Returns the next portion; nil at the end of the current body.
    func portion() async throws -> Data? {
        if let failure = core.bodyFailure { throw failure }
        return try await current.withLock(\.reader).next()
    }

    /// Ends the call with the current body.
    func end() {
        core.endBody(ending)
    }

    /// Ends the call with an error, and closes the connection. Returns the error that has ended the call.
    func ended(by error: any Error) -> any Error {
        core.end(error, as: error is CancellationError ? .cancelled : .failure)
        current.withLock(\.stream).cancel()
        // If something else has ended the call, that is the reason.
        return core.bodyFailure ?? error
    }

    /// Sends the request again after a wait, through the whole pipeline, and continues with the body of its response. Returns the
    /// head of the response, which the call accepts.
    ///
    /// The connections belong to the same call: each is an attempt in its log, with the cause ``Attempt/Cause/reconnection``.
    ///
    /// - Parameter lastEventID: The value of the `Last-Event-ID`; nil to send none.
    func reconnect(lastEventID: String?, after delay: Duration) async throws -> HTTPResponse {
        let core = core
        let task = Task { try await Self.connectAgain(core, lastEventID, after: delay) }
        guard core.carry(by: .reconnection(task)) else { throw core.bodyFailure ?? CancellationError() }
        let response = try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            core.end(CancellationError(), as: .cancelled)
        }
        let stream = response.stream
        guard core.accept(response.head), core.carry(by: .body(stream)) else {
            stream.cancel()
            throw core.bodyFailure ?? CancellationError()
        }
        let old = current.withLock { replace(&$0, with: Current(stream: stream, reader: stream.reader())) }
        withExtendedLifetime(old) {}
        // The body may have been cancelled meanwhile.
        if let failure = core.bodyFailure {
            stream.cancel()
            throw failure
        }
        return response.head
    }

    private static func connectAgain(
        _ core: CallCore, _ lastEventID: String?, after delay: Duration
    ) async throws -> HTTPResponse {
        var request = try core.exchanged.request ?? core.plan.message()
        request.headers["Last-Event-ID"] = lastEventID
        core.become(.retrying(attempt: core.attempts.newestNumber + 1, after: delay))
        core.notify(.following(.reconnection, request, after: delay))
        await core.deliverEvents()
        if delay > .zero { try await core.plan.client.configuration.clock.wait(for: delay) }
        try Task.checkCancellation()
        core.become(.running)
        let context = CallContext(core: core, options: core.options, cause: .reconnection)
        return try await core.plan.admitted(core.plan.client.pipeline.run(request, context: context))
    }
}
