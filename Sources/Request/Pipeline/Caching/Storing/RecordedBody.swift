import Synchronization

/// A body that is recorded while its reader reads it.
///
/// At the end of the body, the reader does not wait for the store. A lookup that begins later finds the recording, or
/// waits until the store has it. A reader that leaves early ends the recording.
final class RecordedBody: BodySource, @unchecked Sendable {
    // Unchecked: one task at a time reads, and only it touches the iterator.

    private enum Phase {
        case idle, reading, over
    }

    private let stream: BodyStream
    private var iterator: BodyStream.Iterator
    private let recorder: BodyRecorder
    private let isOver: @Sendable (_ recorder: BodyRecorder, _ isComplete: Bool) async -> Void
    private let phase = Mutex(Phase.idle)

    /// - Parameter isOver: Called once, when the body has ended, failed or been cancelled.
    init(
        _ stream: BodyStream, recorder: BodyRecorder,
        isOver: @escaping @Sendable (_ recorder: BodyRecorder, _ isComplete: Bool) async -> Void
    ) {
        self.stream = stream
        iterator = stream.makeAsyncIterator()
        self.recorder = recorder
        self.isOver = isOver
    }

    func next() async throws -> Data? {
        // A reader that is cancelled between two portions may receive portions that have arrived. They are not
        // recorded.
        let isRecorded = phase.withLock { phase in
            guard phase == .idle else { return false }
            phase = .reading
            return true
        }
        do {
            guard let portion = try await iterator.next() else {
                await end(isComplete: true)
                return nil
            }
            guard isRecorded else { return portion }
            await recorder.add(portion)
            phase.withLock { if $0 == .reading { $0 = .idle } }
            return portion
        } catch {
            await end(isComplete: false)
            throw error
        }
    }

    private func end(isComplete: Bool) async {
        let isFirst = phase.withLock { phase in
            defer { phase = .over }
            return phase != .over
        }
        if isFirst { await isOver(recorder, isComplete) }
    }

    func cancel() {
        stream.cancel()
        let wasIdle = phase.withLock { phase in
            // The reading task receives the error, and ends the recording.
            guard phase == .idle else { return false }
            phase = .over
            return true
        }
        guard wasIdle else { return }
        let recorder = recorder
        let isOver = isOver
        Task { await isOver(recorder, false) }
    }

    var ending: BodyStream.Ending? { stream.ending }
}
