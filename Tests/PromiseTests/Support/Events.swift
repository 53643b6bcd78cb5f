import Synchronization

/// A list of events in order, from any thread.
final class Events<Event: Sendable>: Sendable {
    private let list = Mutex<[Event]>([])

    func add(_ event: Event) {
        list.withLock { $0.append(event) }
    }

    func removeAll() {
        _ = list.withLock { list in
            defer { list = [] }
            return list
        }
    }

    var all: [Event] { list.withLock { $0 } }
}

/// A counter of events.
final class Counter: Sendable {
    private let number = Mutex(0)

    /// Adds one and returns the new number.
    @discardableResult
    func increment() -> Int {
        number.withLock { number in
            number += 1
            return number
        }
    }

    var count: Int { number.withLock { $0 } }
}
