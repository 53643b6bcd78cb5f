import Testing

@testable import TangoRequest
@testable import TestSupport

/// The order in which requests start under the connection limits.
@Suite struct AdmissionQueueTests {
    typealias Queue = AdmissionQueue<Int>

    @Test func everyMemberStartsWithoutLimits() {
        var queue = Queue(total: nil, perHost: nil)
        #expect(queue.isUnlimited)
        let places = (0..<100).map { queue.admit($0, for: "a") }
        #expect(places.allSatisfy { $0 == nil })
    }

    @Test(arguments: [(1, nil), (nil, 1), (1, 1)] as [(Int?, Int?)])
    func limitOfOneLetsTheSecondMemberWait(_ total: Int?, _ perHost: Int?) {
        var queue = Queue(total: total, perHost: perHost)
        let places = (0..<2).map { queue.admit($0, for: "a") }
        #expect(places[0] == nil && places[1] != nil)
        #expect(queue.free("a") == 1)
    }

    @Test func membersStartInOrderWithinTheLimitsOfEachHost() {
        var queue = Queue(total: 3, perHost: 2)
        func waits(_ member: Int, _ host: String) -> Bool { queue.admit(member, for: host) != nil }
        #expect(!waits(0, "a") && !waits(1, "a"))
        #expect(waits(2, "a"))
        #expect(!waits(3, "b"))
        #expect(waits(4, "b") && waits(5, "a"))
        #expect(queue.free("b") == 4)
        #expect(queue.free("a") == 2)
        #expect(queue.free("a") == 5)
        #expect(queue.free("a") == nil && queue.free("a") == nil && queue.free("b") == nil)
        #expect(!waits(6, "a"))
    }

    @Test func fullHostDelaysNoOtherHost() {
        var queue = Queue(total: nil, perHost: 1)
        _ = queue.admit(0, for: "a")
        for member in 1..<1000 { #expect(queue.admit(member, for: "a") != nil) }
        #expect(queue.admit(1000, for: "b") == nil)
        #expect(queue.admit(1001, for: "b") != nil)
        #expect(queue.free("b") == 1001)
        #expect(queue.free("a") == 1)
    }

    @Test func oldestMemberOfAllHostsStartsNext() {
        var queue = Queue(total: 1, perHost: nil)
        _ = queue.admit(0, for: "a")
        for member in 1...50 { _ = queue.admit(member, for: "host \(member % 7)") }
        var order: [Int] = []
        var host = "a"
        while let next = queue.free(host) {
            order.append(next)
            host = "host \(next % 7)"
        }
        #expect(order == Array(1...50))
    }

    @Test func withdrawnMembersNeverStart() {
        var queue = Queue(total: nil, perHost: 1)
        _ = queue.admit(0, for: "a")
        let places = (1...5).compactMap { queue.admit($0, for: "a") }
        for place in [places[0], places[2], places[4], places[4]] { queue.withdraw(place) }
        #expect(queue.free("a") == 2)
        #expect(queue.free("a") == 4)
        // Other members may have these places now.
        let place = queue.admit(6, for: "a")
        #expect(place != nil)
        for place in places { queue.withdraw(place) }
        #expect(queue.free("a") == 6)
        #expect(queue.free("a") == nil)
    }

    @Test func removeAllKeepsTheCountOfStartedMembers() {
        var queue = Queue(total: 2, perHost: 1)
        _ = queue.admit(0, for: "a")
        let place = queue.admit(1, for: "a")
        queue.removeAll()
        if let place { queue.withdraw(place) }
        #expect(queue.free("a") == nil)
        #expect(queue.admit(2, for: "a") == nil)
        #expect(queue.admit(3, for: "a") != nil)
    }

    /// A simple model that searches all waiting members each time.
    private struct Model {
        let total: Int, perHost: Int
        var begun: [(Int, String)] = []
        var waiting: [(Int, String)] = []

        func hasRoom(_ host: String) -> Bool {
            begun.count < total && begun.count { $0.1 == host } < perHost
        }

        mutating func admit(_ member: Int, _ host: String) -> Bool {
            guard hasRoom(host) else {
                waiting.append((member, host))
                return false
            }
            begun.append((member, host))
            return true
        }

        mutating func free(_ index: Int) -> Int? {
            begun.remove(at: index)
            guard let next = waiting.firstIndex(where: { hasRoom($0.1) }) else { return nil }
            begun.append(waiting.remove(at: next))
            return begun.last?.0
        }
    }

    @Test(arguments: 1...20)
    func decisionsMatchTheModel(_ seed: Int) {
        var random = Random(state: UInt64(seed))
        let (total, perHost) = (Int.random(in: 1...8, using: &random), Int.random(in: 1...4, using: &random))
        var model = Model(total: total, perHost: perHost)
        var queue = Queue(total: total, perHost: perHost)
        var places: [Int: Queue.Place] = [:]
        for member in 0..<2000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let host = "host \(Int.random(in: 0..<6, using: &random))"
                places[member] = queue.admit(member, for: host)
                #expect(model.admit(member, host) == (places[member] == nil))
            case 5..<8 where !model.begun.isEmpty:
                let index = Int.random(in: 0..<model.begun.count, using: &random)
                let next = queue.free(model.begun[index].1)
                #expect(next == model.free(index))
                if let next { places[next] = nil }
            case 8 where !model.waiting.isEmpty:
                let index = Int.random(in: 0..<model.waiting.count, using: &random)
                if let place = places.removeValue(forKey: model.waiting.remove(at: index).0) { queue.withdraw(place) }
            default: break
            }
        }
    }

    private struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }
}
