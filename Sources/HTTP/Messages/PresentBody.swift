import Synchronization

/// A body in memory, which is read as one portion.
final class PresentBody: BodySource {
    private enum State {
        case waiting(Data)
        case read
        case left
    }

    private let state: Mutex<State>

    init(_ data: Data) {
        state = Mutex(data.isEmpty ? .read : .waiting(data))
    }

    /// Returns the body. If it was cancelled before it was read, throws like a body on a connection, and does not
    /// return an empty body.
    func next() async throws -> Data? {
        try state.withLock { state in
            switch state {
            case .waiting(let data):
                state = .read
                return data
            case .read: return nil
            case .left: throw CancellationError()
            }
        }
    }

    func cancel() {
        state.withLock { state in
            if case .waiting = state { state = .left }
        }
    }

    var ending: BodyStream.Ending? {
        state.withLock { state in
            if case .read = state { BodyStream.Ending() } else { nil }
        }
    }
}
