/// The streamed body of an attempt, which notes in the log when and how it has ended.
final class AttemptBody: BodySource {
    /// Nil for a body that was read to its end, without trailers and metrics.
    typealias End = Result<BodyStream.Ending?, any Error>

    private let stream: BodyStream
    private let reader: BodyStream.Reader
    private let queued: Duration?
    private let end: @Sendable (End) -> Void

    /// - Parameters:
    ///   - queued: The time that the request has waited for its slot.
    ///   - end: Called at the end, and possibly again later. The first call counts.
    init(_ stream: BodyStream, queued: Duration? = nil, end: @escaping @Sendable (End) -> Void) {
        self.stream = stream
        self.queued = queued
        reader = stream.reader()
        self.end = end
    }

    deinit {
        cancel()
    }

    func next() async throws -> Data? {
        do {
            let portion = try await reader.next()
            if portion == nil { end(.success(ending)) }
            return portion
        } catch {
            end(.failure(error))
            throw error
        }
    }

    func cancel() {
        stream.cancel()
        end(.failure(CancellationError()))
    }

    var ending: BodyStream.Ending? {
        var ending = stream.ending
        if let queued { ending?.metrics.queued = queued }
        return ending
    }
}
