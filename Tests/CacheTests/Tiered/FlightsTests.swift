import Testing

@testable import TangoCache

/// The rules for storing entries in memory, as tables of the operations in flight.
@Suite struct FlightsTests {
    enum Step: Sendable {
        case beginWrite, endWrite, beginWriteOfOther, endWriteOfOther, beginSweep, endSweep
    }

    private static let key: CacheKey = "key"

    private static func apply(_ steps: [Step], to flights: inout Flights<String>) {
        for step in steps {
            switch step {
            case .beginWrite: flights.beginWrite([key])
            case .endWrite: flights.endWrite([key])
            case .beginWriteOfOther: flights.beginWrite(["other"])
            case .endWriteOfOther: flights.endWrite(["other"])
            case .beginSweep: flights.beginSweep()
            case .endSweep: flights.endSweep()
            }
        }
    }

    static let loads: [(before: [Step], during: [Step], isPromoted: Bool)] = [
        ([], [], true),
        ([], [.beginWriteOfOther], true),
        ([], [.beginWriteOfOther, .endWriteOfOther], true),
        ([.beginWrite, .endWrite], [], true),
        ([.beginSweep, .endSweep], [], true),
        ([], [.beginWrite], false),
        ([], [.beginWrite, .endWrite], false),
        ([.beginWrite], [], false),
        ([.beginWrite], [.endWrite], false),
        ([.beginWrite, .beginWrite], [.endWrite, .endWrite], false),
        ([], [.beginSweep], false),
        ([], [.beginSweep, .endSweep], false),
        ([.beginSweep], [], false),
        ([.beginSweep], [.endSweep], false),
        ([.beginSweep, .beginSweep, .endSweep], [], false),
    ]

    @Test(arguments: loads)
    func aLoadIsPromotedIfNothingChangedMeanwhile(before: [Step], during: [Step], isPromoted: Bool) throws {
        var flights = Flights<String>()
        Self.apply(before, to: &flights)
        let loadNumber = flights.lead(Self.key)
        let load = try #require(loadNumber)
        Self.apply(during, to: &flights)
        #expect(flights.mayPromote(Self.key, load: load) == isPromoted)
        #expect(flights.endLoad(Self.key, load: load).isEmpty)
        #expect(!flights.mayPromote(Self.key, load: load))
    }

    static let joining: [(before: [Step], during: [Step], isJoined: Bool)] = [
        ([], [], true),
        ([.beginWrite], [], true),
        ([.beginSweep], [], true),
        ([], [.beginWriteOfOther], true),
        ([], [.beginWrite], false),
        ([.beginWrite], [.endWrite], false),
        ([.beginWrite], [.beginWrite], false),
        ([], [.beginSweep], false),
        ([.beginSweep], [.endSweep], false),
    ]

    @Test(arguments: joining)
    func aLoadIsJoinedUnlessAWriteBeganOrEndedSince(before: [Step], during: [Step], isJoined: Bool) throws {
        var flights = Flights<String>()
        Self.apply(before, to: &flights)
        let loadNumber = flights.lead(Self.key)
        let load = try #require(loadNumber)
        #expect(flights.join(Self.key, "early") != nil)
        Self.apply(during, to: &flights)
        #expect((flights.lead(Self.key) == nil) == isJoined)
        #expect(flights.join(Self.key, "late") != nil)
        #expect(flights.endLoad(Self.key, load: load) == (isJoined ? ["early", "late"] : ["early"]))
    }

    static let writes: [(before: [Step], during: [Step], isKept: Bool)] = [
        ([], [], true),
        ([.beginWrite, .endWrite], [], true),
        ([.beginWriteOfOther], [.endWriteOfOther], true),
        ([.beginSweep, .endSweep], [], true),
        ([.beginWrite], [], false),
        ([.beginWrite], [.endWrite], false),
        ([], [.beginWrite], false),
        ([], [.beginWrite, .endWrite], false),
        ([.beginSweep], [], false),
        ([.beginSweep], [.endSweep], false),
        ([], [.beginSweep, .endSweep], false),
    ]

    @Test(arguments: writes)
    func aWriteIsStoredInMemoryIfNoOtherOverlaps(before: [Step], during: [Step], isKept: Bool) {
        var flights = Flights<String>()
        Self.apply(before + [.beginWrite] + during, to: &flights)
        #expect(flights.mayKeep(Self.key) == isKept)
    }

    @Test func overlappingWritesOfAKeyAreNotStoredInMemory() {
        var flights = Flights<String>()
        flights.beginWrite([Self.key, Self.key])
        #expect(!flights.mayKeep(Self.key))
        flights.endWrite([Self.key, Self.key])
        #expect(flights.isEmpty)
    }

    @Test func aWaiterThatLeavesIsNotResumed() throws {
        var flights = Flights<String>()
        let loadNumber = flights.lead(Self.key)
        let load = try #require(loadNumber)
        let firstNumber = flights.join(Self.key, "first")
        let first = try #require(firstNumber)
        let secondNumber = flights.join(Self.key, "second")
        let second = try #require(secondNumber)
        #expect(flights.leave(Self.key, waiter: first) == "first")
        #expect(flights.leave(Self.key, waiter: first) == nil)
        flights.beginWrite([Self.key])
        #expect(flights.join(Self.key, "no load to join") == nil)
        #expect(flights.leave(Self.key, waiter: second) == "second")
        #expect(flights.endLoad(Self.key, load: load) == [])
        #expect(flights.leave(Self.key, waiter: second) == nil)
        flights.endWrite([Self.key])
        #expect(flights.isEmpty)
    }

    @Test(arguments: [false, true])
    func aLoadIsHandedOverToOneOfThoseWhoWait(isOvertaken: Bool) throws {
        var flights = Flights<String>()
        let loadNumber = flights.lead(Self.key)
        let load = try #require(loadNumber)
        for waiter in ["a", "b", "c"] { _ = flights.join(Self.key, waiter) }
        if isOvertaken { Self.apply([.beginWrite, .endWrite], to: &flights) }
        #expect(flights.handOver(Self.key, load: load) == "a")
        #expect(flights.mayPromote(Self.key, load: load) == !isOvertaken)
        #expect(flights.handOver(Self.key, load: load) == "b")
        #expect(flights.endLoad(Self.key, load: load) == ["c"])
        #expect(flights.handOver(Self.key, load: load) == nil)
        #expect(flights.isEmpty)
    }

    @Test func aLoadWithoutWaitersEndsWithItsLeader() throws {
        var flights = Flights<String>()
        let loadNumber = flights.lead(Self.key)
        let load = try #require(loadNumber)
        #expect(flights.handOver(Self.key, load: load) == nil)
        #expect(flights.isEmpty)
    }
}
