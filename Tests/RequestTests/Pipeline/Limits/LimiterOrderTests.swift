import Testing

@testable import TangoRequest
@testable import TangoTransport
@testable import TestSupport

/// A limiter that compares all requests in its line gives slots to the same requests.
@Suite struct LimiterOrderTests {
    /// A limiter as its documentation describes it, beside one of the library.
    private final class Comparison {
        final class Entry {
            let call: UInt64
            let request: WaitingRequest
            let address: ServerAddress
            var priority: CallPriority
            var place: Int?
            var isInLine = false
            var hasSlot = false

            init(_ call: UInt64, _ request: WaitingRequest, _ address: ServerAddress, _ priority: CallPriority) {
                self.call = call
                self.request = request
                self.address = address
                self.priority = priority
            }
        }

        let limiter = Limiter(total: 3, perHost: 2)
        private var isSuspended = false
        private var entries: [Entry] = []
        private var places = 0
        private var turns = 0
        private let addresses: [ServerAddress]
        private var random: SeededNumbers

        init(seed: UInt64) throws {
            random = SeededNumbers(seed: seed)
            addresses = try (0..<4).map { try ServerAddress("http://host\($0).example/") }
        }

        private var hasSlot: Bool { !isSuspended && entries.count { $0.hasSlot } < limiter.total ?? .max }

        private func hasSlot(at address: ServerAddress) -> Bool {
            entries.count { $0.hasSlot && $0.address == address } < limiter.perHost ?? .max
        }

        private func admit() {
            while hasSlot {
                let isTurnOfOldest = (turns + 1) % 8 == 0
                let next = entries.filter { $0.isInLine && hasSlot(at: $0.address) }.min { one, other in
                    if !isTurnOfOldest, one.priority != other.priority { return one.priority > other.priority }
                    return one.place ?? .max < other.place ?? .max
                }
                guard let next else { return }
                turns += 1
                next.isInLine = false
                next.hasSlot = true
            }
        }

        private func start(_ call: UInt64) throws {
            let address = try #require(addresses.randomElement(using: &random))
            let priority = try #require([CallPriority.low, .normal, .high].randomElement(using: &random))
            let request = limiter.expect(address, call: call, priority)
            entries.append(Entry(call, request, address, priority))
        }

        /// A step of a call begins: its request gets its place, and a slot if no other one of its host waits. Later requests with
        /// slots, which have not arrived, return to the line.
        private func approach(_ entry: Entry) {
            limiter.approach(entry.request)
            if entry.place == nil {
                entry.place = places
                places += 1
            }
            let isFirst = !entries.contains { $0.isInLine && $0.address == entry.address }
            entry.hasSlot = hasSlot && isFirst && hasSlot(at: entry.address)
            entry.isInLine = !entry.hasSlot
            while entry.isInLine, let last = entries.filter({ $0.hasSlot }).max(by: { $0.place ?? 0 < $1.place ?? 0 }),
                last.place ?? 0 > entry.place ?? 0, last.priority <= entry.priority
            {
                last.hasSlot = false
                last.isInLine = true
            }
            admit()
        }

        /// A step of a call ends, and its request gives way.
        private func pause(_ entry: Entry) {
            limiter.pause(entry.request)
            entry.isInLine = false
            entry.hasSlot = false
        }

        private func end(_ entry: Entry) {
            limiter.withdraw(entry.request)
            entries.removeAll { $0 === entry }
        }

        private func prioritise(_ entry: Entry) {
            let priority = CallPriority(rawValue: .random(in: -2...2, using: &random))
            limiter.setPriority(priority, of: entry.call)
            if entry.isInLine { entry.priority = priority }
        }

        private func changeSettings() {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: limiter.perHost = [nil, 1, 2, 3].randomElement(using: &random) ?? nil
            case 1: limiter.total = [nil, 1, 3, 5].randomElement(using: &random) ?? nil
            case 2:
                isSuspended = true
                limiter.suspend()
                // No request has arrived.
                for entry in entries where entry.hasSlot { (entry.hasSlot, entry.isInLine) = (false, true) }
            default:
                isSuspended = false
                limiter.resume()
            }
            admit()
        }

        func change(_ number: Int) throws {
            if entries.count < 30 { try start(UInt64(number)) }
            guard number % 50 > 0, let entry = entries.randomElement(using: &random) else { return changeSettings() }
            if entry.hasSlot {
                if Bool.random(using: &random) { pause(entry) } else { end(entry) }
                admit()
            } else if !entry.isInLine {
                approach(entry)
            } else if number % 10 > 0 {
                prioritise(entry)
            } else {
                if Bool.random(using: &random) { pause(entry) } else { end(entry) }
                admit()
            }
        }

        func check() {
            let reserved = entries.filter { $0.request.reservation != nil }
            #expect(entries.filter { $0.hasSlot }.map(\.call) == reserved.map(\.call))
            #expect(entries.filter { $0.isInLine }.map(\.call) == entries.filter(\.request.isInLine).map(\.call))
        }
    }

    /// A call that waits for a token gives way. Once it has the token, it comes before a later call that has got the slot
    /// meanwhile, and has not arrived with it.
    @Test func callThatReturnsComesBeforeLaterOnes() throws {
        let limiter = Limiter(total: 1)
        let address = try ServerAddress("http://host.example/")
        let requests = (1...3).map { limiter.expect(address, call: $0, .normal) }
        for request in requests { limiter.approach(request) }
        limiter.pause(requests[0])
        limiter.pause(requests[1])
        limiter.approach(requests[1])
        limiter.approach(requests[0])
        #expect(requests.map { limiter.claim($0, at: address) != nil } == [true, false, false])
        limiter.leave(requests[0].server)
        #expect(requests.dropFirst().map { limiter.claim($0, at: address) != nil } == [true, false])
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func slotsGoToTheSameRequests(seed: UInt64) throws {
        let comparison = try Comparison(seed: seed)
        for number in 1...2_000 {
            try comparison.change(number)
            comparison.check()
        }
        #expect(comparison.limiter.running == 0)
    }
}
