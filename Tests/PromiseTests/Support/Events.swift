import Synchronization

/// What has happened, in order, from whichever thread.
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
