import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The place of a reader in a body.
final class ChunkPosition: Sendable {
    enum Step {
        case portion(Data)
        case chunk(Int)
        case end
    }

    private struct State {
        var body: Data?
        var next = 0
    }

    private let state: Mutex<State>

    /// - Parameter body: The body, if it has no chunks.
    init(_ body: Data?) {
        state = Mutex(State(body: body))
    }

    func next(of chunks: Int) -> Step {
        state.withLock { state in
            if let body = state.body {
                state.body = nil
                return .portion(body)
            }
            guard state.next < chunks else { return .end }
            defer { state.next += 1 }
            return .chunk(state.next)
        }
    }
}
