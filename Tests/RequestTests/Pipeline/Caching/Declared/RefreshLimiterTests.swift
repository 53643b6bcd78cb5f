import Foundation
import Testing

@testable import TangoRequest
@testable import TestSupport

/// The limit of concurrent refreshes.
@Suite(.timeLimit(.minutes(20)))
struct RefreshLimiterTests {
    private let limiter = RefreshLimiter()
    private let client = Client(baseURL: URL(string: "http://nowhere.invalid"))

    private func alone() -> RefreshLimiter.Slot { RefreshLimiter.Slot(sharedBy: nil) }

    private func shared(_ path: String) throws -> RefreshLimiter.Slot {
        let core = GetItem(client, .networkOnly, .get(path)).start(lifetime: .unmanaged).core
        let key: FlightKey = try #require(FlightKey(of: core))
        return RefreshLimiter.Slot(sharedBy: key)
    }

    /// Takes a slot, and records the start of the refresh.
    private func take(_ slot: RefreshLimiter.Slot, _ started: Facts, _ word: String = "started") {
        limiter.take(slot) {
            started.note(word)
            return true
        }
    }

    /// Takes all limiter.
    private func fill() -> [RefreshLimiter.Slot] {
        let taken = (0..<RefreshLimiter.limit).map { _ in alone() }
        for slot in taken { limiter.take(slot) { true } }
        return taken
    }

    @Test func refreshesAboveTheLimitWaitInOrder() {
        let started = Facts()
        let all = (0..<RefreshLimiter.limit * 2).map { _ in alone() }
        for (number, slot) in all.enumerated() {
            take(slot, started, "\(number)")
        }
        #expect(started.count == RefreshLimiter.limit)
        for slot in all.prefix(RefreshLimiter.limit) { limiter.leave(slot) }
        #expect(started.all == all.indices.map(String.init))
    }

    @Test func thousandsOfUnwantedRefreshesTakeNoSlot() {
        let taken = fill()
        for _ in 0..<100_000 { limiter.take(alone()) { false } }
        let started = Facts()
        take(alone(), started)
        limiter.leave(taken[0])
        #expect(started.count == 1)
    }

    /// Nested starts would overflow the stack.
    @Test func thousandsOfRefreshesThatEndAtOnceDoNotNest() {
        let taken = fill()
        let started = Facts()
        for _ in 0..<100_000 {
            let slot = alone()
            limiter.take(slot) { [limiter] in
                started.note("started")
                limiter.leave(slot)
                return true
            }
        }
        limiter.leave(taken[0])
        #expect(started.count == 100_000)
    }

    @Test func refreshesThatShareATransferTakeOneSlot() throws {
        let started = Facts()
        let (one, other) = (try shared("/1"), try shared("/2"))
        for _ in 0..<1000 {
            take(one, started, "one")
        }
        #expect(started.count == 1000)
        for _ in 1..<RefreshLimiter.limit { limiter.take(alone()) { true } }
        for _ in 0..<1000 {
            take(other, started, "other")
        }
        #expect(started.count == 1000)
        // The slot is free once the last refresh has left it. Then all refreshes of the other transfer start at once.
        for _ in 1..<1000 { limiter.leave(one) }
        #expect(started.count == 1000)
        limiter.leave(one)
        #expect(started.count == 2000)
    }

    @Test func groupOfUnwantedRefreshesTakesNoSlot() throws {
        let taken = fill()
        let group = try shared("/1")
        for _ in 0..<10 { limiter.take(group) { false } }
        let started = Facts()
        take(alone(), started)
        limiter.leave(taken[0])
        #expect(started.count == 1)
        // The group can take a slot again.
        limiter.leave(taken[1])
        take(group, started)
        #expect(started.count == 2)
    }

    @Test func slotsCanBeTakenAndLeftConcurrently() async throws {
        let groups = [nil, nil, try shared("/1"), try shared("/2")]
        let started = Facts()
        await withTaskGroup(of: Void.self) { tasks in
            for number in 0..<2000 {
                let slot = groups[number % 4] ?? alone()
                tasks.addTask { [limiter] in
                    await withCheckedContinuation { continuation in
                        limiter.take(slot) {
                            started.note("started")
                            continuation.resume()
                            return true
                        }
                    }
                    await Task.yield()
                    limiter.leave(slot)
                }
            }
        }
        #expect(started.count == 2000)
        // All slots are free again.
        for _ in 0..<RefreshLimiter.limit {
            take(alone(), started)
        }
        #expect(started.count == 2000 + RefreshLimiter.limit)
    }
}
