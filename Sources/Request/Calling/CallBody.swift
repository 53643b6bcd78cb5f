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

    /// Sends the request again after a wait, and continues with the body of its response. Returns the head of the response.
    ///
    /// - Parameter lastEventID: The value of the `Last-Event-ID`; nil to send none.
    func reconnect(lastEventID: String?, after delay: Duration) async throws -> HTTPResponse {
        let response = try await core.reconnect(lastEventID: lastEventID, after: delay)
        let stream = response.stream
        let old = current.withLock { current in
            defer { current = Current(stream: stream, reader: stream.reader()) }
            return current
        }
        withExtendedLifetime(old) {}
        // The body may have been cancelled meanwhile.
        if let failure = core.bodyFailure {
            stream.cancel()
            throw failure
        }
        return response.head
    }
}

extension CallCore {
    /// The error that has ended a streamed call before its body.
    var bodyFailure: (any Error)? { state.withLock(\.bodyFailure) }

    /// Takes what is known at the end of a streamed body, and ends the run.
    func endBody(_ ending: BodyStream.Ending?) {
        state.withLock { state in
            guard !state.phase.isFinished, let ending else { return }
            state.response?.trailers = ending.trailers
            state.response?.metrics = ending.metrics
        }
        endBody()
    }
}
