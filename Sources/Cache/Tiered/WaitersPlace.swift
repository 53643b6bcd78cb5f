import Synchronization

/// Where the number of a waiter is left for the one who cancels it, whichever of the two comes first.
final class WaitersPlace: Sendable {
    enum Phase: Equatable {
        case empty, taken(Int), cancelled
    }

    private let phase = Mutex(Phase.empty)

    /// Leaves the number, unless the waiter was cancelled before. Returns what there is then.
    func take(_ number: Int) -> Phase {
        phase.withLock { phase in
            if phase == .empty { phase = .taken(number) }
            return phase
        }
    }

    /// Cancels the waiter, and returns its number if it has one already.
    func cancel() -> Int? {
        phase.withLock { phase in
            defer { phase = .cancelled }
            if case .taken(let number) = phase { return number }
            return nil
        }
    }
}
