import Synchronization

/// A status and its observers, which are notified of each change in order, one at a time and never under a lock.
final class ConnectivityObservers: Sendable {
    private struct State {
        var status: ConnectivityStatus
        var observers: [Int: @Sendable (ConnectivityStatus) -> Void] = [:]
        var lastNumber = 0
        /// The changes that have not been delivered.
        var changes: [ConnectivityStatus] = []
        var isDelivering = false

        /// Returns the next change with its observers; nil if there is none, which ends the delivery.
        mutating func next() -> (ConnectivityStatus, [@Sendable (ConnectivityStatus) -> Void])? {
            isDelivering = !changes.isEmpty
            return isDelivering ? (changes.removeFirst(), Array(observers.values)) : nil
        }
    }

    private let state: Mutex<State>

    init(_ status: ConnectivityStatus) {
        state = Mutex(State(status: status))
    }

    var status: ConnectivityStatus { state.withLock(\.status) }
    var count: Int { state.withLock(\.observers.count) }

    /// Changes the status. If another thread delivers changes at the moment, it delivers this one too.
    func become(_ status: ConnectivityStatus) {
        let delivers = state.withLock { state in
            guard state.status != status else { return false }
            state.status = status
            state.changes.append(status)
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        guard delivers else { return }
        while let (status, observers) = state.withLock({ $0.next() }) {
            for observer in observers { observer(status) }
        }
    }

    func observe(_ change: @escaping @Sendable (ConnectivityStatus) -> Void) -> ConnectivityObservation {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.observers[state.lastNumber] = change
            return state.lastNumber
        }
        return ConnectivityObservation { [weak self] in
            // The observer is released after the lock, because that may run code of the user.
            withExtendedLifetime(self?.state.withLock { $0.observers.removeValue(forKey: number) }) {}
        }
    }
}
