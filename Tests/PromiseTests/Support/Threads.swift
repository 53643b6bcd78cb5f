import Dispatch
import Foundation
import Synchronization

/// Runs `body` on `count` new threads outside the cooperative pool. They start together; returns when all are done.
func onThreads(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) async {
    let start = Barrier(count)
    await withCheckedContinuation { continuation in
        let group = DispatchGroup()
        for thread in 0..<count {
            group.enter()
            Thread {
                start.meet()
                body(thread)
                group.leave()
            }
            .start()
        }
        group.notify(queue: .global()) { continuation.resume() }
    }
}

/// A barrier where threads wait for each other, so that they continue at the same time. It can be used repeatedly.
final class Barrier: Sendable {
    private let count: Int
    private let arrivals = Atomic(0)

    init(_ count: Int) {
        self.count = count
    }

    func meet() {
        let arrival = arrivals.add(1, ordering: .acquiringAndReleasing).oldValue
        let needed = (arrival / count + 1) * count
        while arrivals.load(ordering: .acquiring) < needed { sched_yield() }
    }
}

/// Runs a race several times: each time, all threads receive the same item at the same time.
func race<Item: Sendable>(
    _ items: [Item], threads: Int, _ body: @escaping @Sendable (_ item: Item, _ thread: Int) -> Void
) async {
    let barrier = Barrier(threads)
    await onThreads(threads) { thread in
        for item in items {
            barrier.meet()
            body(item, thread)
        }
    }
}

/// A gate that blocks threads until it is opened for good.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() {
        semaphore.signal()
    }

    func pass() {
        semaphore.wait()
        semaphore.signal()
    }
}

/// A list of events in order, for tests that wait for a number of them.
final class Journal<Entry: Sendable>: Sendable {
    private struct State {
        var entries: [Entry] = []
        var readers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var entries: [Entry] {
        state.withLock { $0.entries }
    }

    func write(_ entry: Entry) {
        let ready = state.withLock { state in
            state.entries.append(entry)
            let count = state.entries.count
            defer { state.readers.removeAll { $0.count <= count } }
            return state.readers.filter { $0.count <= count }
        }
        for reader in ready { reader.continuation.resume() }
    }

    /// Returns the entries once there are at least `count`.
    func entries(_ count: Int) async -> [Entry] {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.entries.count >= count { return true }
                state.readers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
        return entries
    }
}

/// A counter of events.
final class Tally: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .acquiring) }

    @discardableResult
    func add() -> Int {
        value.add(1, ordering: .acquiringAndReleasing).newValue
    }
}

/// Counts the objects that are alive, and waits until none is.
final class Census: Sendable {
    private struct State {
        var living = 0
        var mourners: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// An object that is counted while it lives.
    func newborn() -> Being {
        state.withLock { $0.living += 1 }
        return Being(self)
    }

    var living: Int {
        state.withLock { $0.living }
    }

    /// Returns once no object is alive. With a leak it waits for ever.
    func extinction() async {
        await withCheckedContinuation { continuation in
            let isExtinct = state.withLock { state in
                if state.living == 0 { return true }
                state.mourners.append(continuation)
                return false
            }
            if isExtinct { continuation.resume() }
        }
    }

    fileprivate func bury() {
        let mourners = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.living -= 1
            guard state.living == 0 else { return [] }
            defer { state.mourners = [] }
            return state.mourners
        }
        for mourner in mourners { mourner.resume() }
    }
}

/// An object that a ``Census`` counts.
final class Being: Sendable {
    private let census: Census

    fileprivate init(_ census: Census) {
        self.census = census
    }

    deinit {
        census.bury()
    }
}
