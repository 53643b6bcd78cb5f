import TangoCache
import Testing

@testable import TangoRequest

/// The decisions of the queue in front of a store with a history.
struct StoreQueueTests {
    private func isChanging(_ queue: inout StoreQueue) -> Bool {
        if case .changing = queue.peek("a") { true } else { false }
    }

    /// A job ends while its edit still waits for the entry in the store. A reader that went on then would find nothing.
    @Test func readerOfAKeyWaitsForTheEditOfAJobAndItsWrite() async throws {
        let entry = CacheEntry(body: Data("a".utf8))
        var queue = StoreQueue()
        queue.hasHistory = true
        let job = queue.beginJob("a")
        // The numbers of waiters that continue after each step.
        var continued: [Int] = []
        await withCheckedContinuation { continuation in
            var waiters: [StoreQueue.Waiter] = []
            func step() {
                let next = queue.takeEffects().waiters
                continued.append(next.count)
                waiters += next
            }
            queue.add(continuation, .changes("a"), number: queue.nextNumber())
            queue.apply(StoreChange(.edit { _ in .set(entry) }), to: "a")
            queue.endJob(job)
            step()
            #expect(isChanging(&queue))
            let line = queue.lines["a"]?.id ?? 0
            queue.loaded("a", line: line, nil, since: .absent)
            step()
            #expect(isChanging(&queue))
            queue.written("a", line: line, stored: entry, .done)
            step()
            for waiter in waiters { waiter.resume() }
        }
        #expect(continued == [0, 0, 1])
        #expect(queue.count == 0)
    }

    /// A job commits a body. A removal that did not wait for it would leave the body.
    @Test(arguments: [CacheChange.tag("t"), .prefix("a")])
    func removalWaitsForJobsThatBeganBeforeIt(_ scope: CacheChange) {
        var queue = StoreQueue()
        let jobs = (queue.beginJob("a1"), queue.beginJob("other"))
        queue.sweep(scope) { _ in }
        // An equal removal that waits does not count for a job that began after it.
        let later = queue.beginJob("a2")
        queue.sweep(scope) { _ in }
        #expect(queue.takeEffects().steps.isEmpty)
        queue.endJob(jobs.0)
        #expect(queue.takeEffects().steps.isEmpty == scope.isTag)
        queue.endJob(jobs.1)
        #expect(queue.sweeps.map(\.state) == [.running, .waiting])
        queue.swept(queue.sweeps[0].number, nil)
        #expect(queue.sweeps.map(\.state) == [.waiting])
        queue.endJob(later)
        #expect(queue.sweeps.map(\.state) == [.running])
    }
}
