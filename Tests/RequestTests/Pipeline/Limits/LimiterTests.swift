import Foundation
import Synchronization
import Testing

@testable import TangoRequest
@testable import TangoTransport
@testable import TestSupport

/// The order in which a limiter gives slots to requests that wait.
@Suite(.timeLimit(.minutes(20)))
struct LimiterTests {
    private static let one = address("http://one.example/")
    private static let two = address("http://two.example/")

    private static func address(_ text: String) -> ServerAddress? { try? ServerAddress(text) }

    /// Requests that wait for a limiter, in tasks of their own.
    private final class Requests: Sendable {
        let limiter: Limiter
        let admitted = Facts()
        private let slots = Mutex<[LimitedServer]>([])
        private let tasks = Mutex<[String: Task<Void, Never>]>([:])

        init(_ limiter: Limiter) { self.limiter = limiter }

        /// Starts a request, and returns when it waits or has its slot.
        func start(
            _ name: String, _ number: UInt64, _ server: ServerAddress?, _ priority: CallPriority = .normal
        ) async throws {
            let server = try #require(server)
            let count = limiter.waiting
            if let slot = limiter.enter(server) {
                slots.withLock { $0.append(slot) }
                return admitted.note(name)
            }
            let task = Task { [self] in
                do {
                    let slot = try await limiter.wait(for: limiter.expect(server, call: number, priority), priority)
                    slots.withLock { $0.append(slot) }
                    admitted.note(name)
                } catch is Limiter.Full {
                    admitted.note("\(name) is one too many")
                } catch {
                    admitted.note("\(name) was cancelled")
                }
            }
            tasks.withLock { $0[name] = task }
            while limiter.waiting == count, !admitted.all.contains(where: { $0.hasPrefix(name) }) { await Task.yield() }
        }

        /// Returns a slot.
        func leave(_ address: ServerAddress?) throws {
            let slot = slots.withLock { slots in
                slots.firstIndex { $0.address == address }.map { slots.remove(at: $0) }
            }
            limiter.leave(try #require(slot))
        }

        func cancel(_ name: String) { tasks.withLock { $0[name] }?.cancel() }
    }

    @Test func slotsGoToTheHighestPriorityInOrder() async throws {
        let limiter = Limiter(total: 1)
        let requests = Requests(limiter)
        try await requests.start("first", 0, Self.one)
        let waiting: [(String, CallPriority)] = [
            ("low", .low), ("a", .normal), ("b", .normal), ("urgent", .high), ("c", .normal), ("more urgent", .high),
            ("top", CallPriority(rawValue: 9)),
        ]
        for (number, (name, priority)) in waiting.enumerated() {
            try await requests.start(name, UInt64(number + 1), Self.one, priority)
        }
        #expect(limiter.running == 1)
        #expect(limiter.waiting == 7)
        let order = ["first", "top", "urgent", "more urgent", "a", "b", "c", "low"]
        for name in order {
            await requests.admitted.reached(name)
            try requests.leave(Self.one)
        }
        #expect(requests.admitted.all == order)
        #expect(limiter.running == 0)
        #expect(limiter.waiting == 0)
    }

    @Test func lowPriorityDoesNotStarve() async throws {
        let limiter = Limiter(total: 1)
        let requests = Requests(limiter)
        try await requests.start("first", 0, Self.one)
        try await requests.start("low", 1, Self.one, .low)
        for number in 2..<40 { try await requests.start("high \(number)", UInt64(number), Self.one, .high) }
        for number in 2..<9 {
            try requests.leave(Self.one)
            await requests.admitted.reached("high \(number)")
        }
        try requests.leave(Self.one)
        await requests.admitted.reached("low")
        #expect(requests.admitted.all.count == 9)
        limiter.total = nil
        await requests.admitted.reached("high 39")
    }

    @Test func fullHostDelaysNoOther() async throws {
        let limiter = Limiter(perHost: 1)
        let requests = Requests(limiter)
        try await requests.start("one", 0, Self.one)
        try await requests.start("one waits", 1, Self.one, .high)
        try await requests.start("two", 2, Self.two, .low)
        #expect(requests.admitted.all == ["one", "two"])
        try requests.leave(Self.one)
        await requests.admitted.reached("one waits")
        // Another port is another server.
        try await requests.start("other port", 3, Self.address("http://one.example:81/"))
        #expect(requests.admitted.all.last == "other port")
    }

    @Test func limitsMayChange() async throws {
        let limiter = Limiter(total: 1, perHost: 1)
        let requests = Requests(limiter)
        try await requests.start("a", 0, Self.one)
        try await requests.start("b", 1, Self.one)
        try await requests.start("c", 2, Self.two)
        limiter.total = 2
        await requests.admitted.reached("c")
        #expect(limiter.waiting == 1)
        limiter.total = nil
        limiter.perHost = 2
        await requests.admitted.reached("b")
        // A lower limit waits for those that run.
        limiter.total = 1
        try await requests.start("d", 3, Self.two)
        for server in [Self.one, Self.one] { try requests.leave(server) }
        #expect(limiter.running == 1)
        #expect(limiter.waiting == 1)
        try requests.leave(Self.two)
        await requests.admitted.reached("d")
    }

    /// A request that has given way comes back after the limiter has forgotten the server, which has other requests by now.
    @Test func requestThatHasGivenWayCountsWithOthers() throws {
        let (address, another) = (try #require(Self.one), try #require(Self.two))
        let limiter = Limiter(perHost: 1)
        let late = limiter.expect(address, call: 1, .normal)
        limiter.approach(late)
        limiter.pause(late)
        // The limiter remembers the last server that has no requests.
        let server = try #require(limiter.enter(another))
        limiter.leave(server)
        let other = try #require(limiter.enter(address))
        #expect(limiter.claim(late, at: address) == nil)
        limiter.leave(other)
        let claimed = try #require(limiter.claim(late, at: address))
        limiter.leave(claimed)
        #expect(limiter.running == 0)
    }

    /// Its slot was reserved, and it has not reached the line yet.
    @Test func suspendedLimiterHoldsRequestsOnTheirWay() throws {
        let address = try #require(Self.one)
        let limiter = Limiter(total: 1)
        let request = limiter.expect(address, call: 1, .normal)
        limiter.approach(request)
        limiter.suspend()
        #expect(limiter.claim(request, at: address) == nil)
        limiter.resume()
        let server = try #require(limiter.claim(request, at: address))
        #expect(limiter.running == 1)
        limiter.leave(server)
    }

    @Test func suspendedLimiterSendsNothing() async throws {
        let limiter = Limiter()
        let requests = Requests(limiter)
        limiter.suspend()
        #expect(limiter.isSuspended)
        for (number, name) in ["a", "b", "c"].enumerated() { try await requests.start(name, UInt64(number), Self.one) }
        #expect(requests.admitted.all.isEmpty)
        limiter.resume()
        for name in ["a", "b", "c"] { await requests.admitted.reached(name) }
        #expect(limiter.running == 3)
    }

    @Test func priorityMayChangeWhileWaiting() async throws {
        let limiter = Limiter(total: 1)
        let requests = Requests(limiter)
        try await requests.start("first", 0, Self.one)
        try await requests.start("a", 1, Self.one)
        try await requests.start("b", 2, Self.one)
        try await requests.start("c", 3, Self.one, .high)
        limiter.setPriority(.high, of: 2)
        limiter.setPriority(.low, of: 3)
        // Requests that do not wait have no priority to change.
        limiter.setPriority(.high, of: 0)
        limiter.setPriority(.high, of: 77)
        for name in ["first", "b", "a", "c"] {
            await requests.admitted.reached(name)
            try requests.leave(Self.one)
        }
        #expect(requests.admitted.all == ["first", "b", "a", "c"])
    }

    @Test func callMayWaitTwice() async throws {
        let limiter = Limiter(total: 1)
        let requests = Requests(limiter)
        try await requests.start("first", 0, Self.one)
        try await requests.start("a", 1, Self.one)
        try await requests.start("b", 7, Self.one)
        try await requests.start("c", 7, Self.one)
        limiter.setPriority(.high, of: 7)
        for name in ["first", "b", "c", "a"] {
            await requests.admitted.reached(name)
            try requests.leave(Self.one)
        }
        #expect(requests.admitted.all == ["first", "b", "c", "a"])
    }

    @Test func queueIsBounded() async throws {
        let limiter = Limiter(total: 1, queue: 2)
        let requests = Requests(limiter)
        for (number, name) in ["a", "b", "c", "d"].enumerated() {
            try await requests.start(name, UInt64(number), Self.one)
        }
        await requests.admitted.reached("d is one too many")
        #expect(limiter.waiting == 2)
    }

    @Test func requestThatLeavesTakesNoSlot() async throws {
        let limiter = Limiter(total: 1)
        let requests = Requests(limiter)
        for (number, name) in ["a", "b", "c"].enumerated() { try await requests.start(name, UInt64(number), Self.one) }
        requests.cancel("b")
        await requests.admitted.reached("b was cancelled")
        #expect(limiter.waiting == 1)
        try requests.leave(Self.one)
        await requests.admitted.reached("c")
        #expect(limiter.running == 1)
        #expect(limiter.waiting == 0)
    }

    /// The number of requests that have a slot, and the highest number so far.
    private final class Load: Sendable {
        private let state = Mutex((now: 0, most: 0))

        var most: Int { state.withLock(\.most) }

        func begin() {
            state.withLock { state in
                state.now += 1
                state.most = max(state.most, state.now)
            }
        }

        func end() { state.withLock { $0.now -= 1 } }
    }

    /// Many requests of all priorities for many servers.
    @Test func slotsAreNeitherLostNorExceeded() async throws {
        let limiter = Limiter(total: 7, perHost: 2)
        let load = Load()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<2_000 {
                let server = try ServerAddress("http://host\(number % 5).example/")
                group.addTask {
                    let priority = CallPriority(rawValue: number % 3)
                    var slot = limiter.enter(server)
                    if slot == nil {
                        let request = limiter.expect(server, call: UInt64(number), priority)
                        slot = try await limiter.wait(for: request, priority)
                    }
                    load.begin()
                    await Task.yield()
                    load.end()
                    if let slot { limiter.leave(slot) }
                }
                if number == 1_000 { group.addTask { limiter.total = 3 } }
                if number == 1_500 { group.addTask { limiter.total = 7 } }
            }
            try await group.waitForAll()
        }
        #expect(load.most <= 7)
        #expect(limiter.running == 0)
        #expect(limiter.waiting == 0)
    }

    @Test(arguments: [
        (Limiter(total: 0), "total"), (Limiter(perHost: -1), "perHost"), (Limiter(queue: -1), "queue"),
    ])
    func invalidLimitsAreProblems(_ limiter: Limiter, _ word: String) {
        #expect(limiter.problem?.contains(word) == true)
        #expect(Limiter(total: 1, perHost: 1, queue: 0).problem == nil)
    }

    @Test func heapIsInOrder() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20 {
            let numbers = (0..<Int.random(in: 0..<200, using: &generator)).map { _ in Int.random(in: 0..<50) }
            var heap = Heap<Int>(<)
            for number in numbers { heap.insert(number) }
            var found: [Int] = []
            while let first = heap.first {
                found.append(first)
                heap.removeFirst()
            }
            #expect(found == numbers.sorted())
        }
    }

    private final class Ranked {
        var rank = Int.random(in: 0..<50)
        var index: Int?
    }

    @Test func elementsOfAHeapMoveAndLeave() {
        var heap = Heap<Ranked>({ $0.rank < $1.rank }, setIndex: { $0.index = $1 })
        var elements = (0..<100).map { _ in Ranked() }
        for element in elements { heap.insert(element) }
        while let element = elements.randomElement(), let index = element.index {
            if Bool.random() {
                element.rank = .random(in: 0..<50)
                heap.restore(at: index)
            } else {
                heap.remove(at: index)
                #expect(element.index == nil)
                elements.removeAll { $0 === element }
            }
            #expect(heap.first?.rank == elements.map(\.rank).min())
            #expect(Set(elements.map(\.index)) == Set(0..<heap.count))
        }
        #expect(elements.isEmpty)
    }
}
