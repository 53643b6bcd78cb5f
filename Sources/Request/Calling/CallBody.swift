#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The body of a streamed call, for its reader. The call ends with it.
///
/// Only the reader holds it: if it is released unread, the call is cancelled.
final class CallBody: BodySource {
    private let core: CallCore
    private let stream: BodyStream
    private let reader: BodyStream.Reader

    init(_ stream: BodyStream, of core: CallCore) {
        self.core = core
        self.stream = stream
        reader = stream.reader()
    }

    deinit {
        cancel()
    }

    func next() async throws -> Data? {
        if let failure = core.bodyFailure { throw failure }
        do {
            let portion = try await reader.next()
            if portion == nil { core.endBody(stream.ending) }
            return portion
        } catch {
            core.end(error, as: error is CancellationError ? .cancelled : .failure)
            // If something else has ended the call, that is the reason.
            throw core.bodyFailure ?? error
        }
    }

    func cancel() {
        core.end(CancellationError(), as: .cancelled)
        stream.cancel()
    }

    var ending: BodyStream.Ending? { stream.ending }
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
