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
