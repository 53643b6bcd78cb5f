import Synchronization
import TangoCache

/// The commands of a connection: those to send, and those whose replies are awaited.
///
/// Any thread submits commands. The thread of the loop sends them, and completes them with their replies.
final class Line: Sendable {
    typealias Completion = @Sendable (Result<[Reply], CacheError>) -> Void

    /// Commands that were submitted together.
    struct Pending: Sendable {
        let shapes: [Reply.Shape]
        var replies: [Reply] = []
        let deadline: MonotonicTime
        let completion: Completion
    }

    enum Phase {
        /// Connecting for the first time. Commands wait.
        case starting
        case ready
        /// Not connected after a failure. Commands are refused.
        case down
        case closed
    }

    struct State {
        var phase = Phase.starting
        var outgoing: [UInt8] = []
        var waiting: [Pending] = []
        /// The number of elements at the start of `waiting` that are complete.
        var done = 0
        var isWoken = false

        var load: Int { waiting.count - done }
    }

    /// The bytes that may wait to be sent. More are refused.
    private static let limit = 64 << 20

    let state = Mutex(State())

    /// Submits commands. Returns whether the loop must be woken, or throws.
    func submit(_ commands: Commands, by deadline: MonotonicTime, _ completion: @escaping Completion) throws -> Bool {
        try state.withLock { state in
            switch state.phase {
            case .closed: throw CacheError(.closed, "The store is closed. Create a new one.")
            case .down: throw CacheError.unreachable
            case .starting, .ready: break
            }
            guard state.outgoing.count + commands.bytes.count <= Self.limit else {
                throw CacheError(.busy, "64 MB wait to be sent to the server. Retry later.")
            }
            if state.outgoing.isEmpty { state.outgoing = commands.bytes } else { state.outgoing += commands.bytes }
            state.waiting.append(Pending(shapes: commands.shapes, deadline: deadline, completion: completion))
            defer { state.isWoken = true }
            return !state.isWoken
        }
    }

    /// Takes the bytes to send. Called on the thread of the loop.
    func takeOutgoing() -> [UInt8] {
        state.withLock { state in
            state.isWoken = false
            guard state.phase == .ready else { return [] }
            var bytes: [UInt8] = []
            swap(&bytes, &state.outgoing)
            return bytes
        }
    }

    /// Assigns replies to the pending commands, and returns those that are complete. `isInStep` is false if a reply does
    /// not belong to its command.
    func receive(_ replies: [Reply]) -> (complete: [Pending], isInStep: Bool) {
        state.withLock { state in
            var complete: [Pending] = []
            for reply in replies {
                guard state.done < state.waiting.count else { return (complete, false) }
                let expected = state.waiting[state.done]
                guard reply.has(expected.shapes[expected.replies.count]) else { return (complete, false) }
                state.waiting[state.done].replies.append(reply)
                let first = state.waiting[state.done]
                guard first.replies.count == first.shapes.count else { continue }
                complete.append(first)
                state.done += 1
            }
            if state.done == state.waiting.count {
                state.waiting.removeAll(keepingCapacity: true)
                state.done = 0
            } else if state.done > 1_024 {
                state.waiting.removeFirst(state.done)
                state.done = 0
            }
            return (complete, true)
        }
    }

    /// The earliest deadline. Commands are submitted in about the order of their deadlines.
    var deadline: MonotonicTime? {
        state.withLock { $0.load > 0 ? $0.waiting[$0.done].deadline : nil }
    }

    /// The latest deadline of the commands in flight.
    var lastDeadline: MonotonicTime? {
        state.withLock { state in state.waiting.dropFirst(state.done).map(\.deadline).max() }
    }

    /// Changes the phase, and returns the commands that fail with it.
    func end(_ phase: Phase) -> [Pending] {
        state.withLock { state in
            if state.phase != .closed { state.phase = phase }
            defer {
                state.waiting = []
                state.outgoing = []
                state.done = 0
            }
            return Array(state.waiting.dropFirst(state.done))
        }
    }

    func becomeReady() {
        state.withLock { if $0.phase != .closed { $0.phase = .ready } }
    }
}

extension CacheError.Code {
    /// The server cannot be reached, or did not reply within the budget. It is tried again in the background.
    public static let unreachable = CacheError.Code("unreachable")

    /// The server has refused a command.
    public static let refused = CacheError.Code("refused")
}

extension CacheError {
    static let unreachable = CacheError(
        .unreachable, "The Redis server cannot be reached. The store connects again in the background.")
}
