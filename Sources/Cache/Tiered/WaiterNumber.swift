import Synchronization

/// Passes the number of a waiter to the code that cancels it, in whichever order they run.
final class WaiterNumber: Sendable {
    enum Phase: Equatable {
        case empty, taken(Int), cancelled
    }

    private let phase = Mutex(Phase.empty)

    /// Stores the number, unless the waiter was cancelled before. Returns the new state.
    func take(_ number: Int) -> Phase {
        phase.withLock { phase in
            if phase == .empty { phase = .taken(number) }
            return phase
        }
    }

    /// Cancels the waiter and returns its number, if it has one.
    func cancel() -> Int? {
        phase.withLock { phase in
            defer { phase = .cancelled }
            if case .taken(let number) = phase { return number }
            return nil
        }
    }
}
