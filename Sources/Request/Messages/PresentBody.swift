import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A body that is in memory, read as one portion.
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

    /// A body that was left before it was read throws, as one on a connection does: it is not an empty one.
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
