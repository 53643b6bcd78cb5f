import Synchronization
import TangoPromise

/// A scheduler that stores its work until the test runs it.
final class HeldWork: Sendable {
    private final class Store: Sendable {
        let works = Mutex<[@Sendable () -> Void]>([])
        let hops = Tally()
    }

    private let store: Store
    let scheduler: Scheduler

    init() {
        let store = Store()
        self.store = store
        scheduler = Scheduler { work in
            store.hops.add()
            store.works.withLock { $0.append(work) }
        }
    }

    /// The number of calls of the scheduler.
    var hops: Int { store.hops.count }

    /// Runs one pass. Returns false if there is none.
    @discardableResult
    func runOne() -> Bool {
        let work = store.works.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        work?()
        return work != nil
    }

    func runAll() {
        while runOne() {}
    }
}
