import Testing

@testable import TangoCache

/// The rules for storing entries in memory, as tables of the operations in flight.
@Suite struct LoadsInFlightTests {
    enum Step: Sendable {
        case beginWrite, endWrite, beginWriteOfOther, endWriteOfOther, beginSweep, endSweep
    }

    private static let key: CacheKey = "key"

    private static func apply(_ steps: [Step], to inFlight: inout LoadsInFlight<String>) {
        for step in steps {
            switch step {
            case .beginWrite: inFlight.beginWrite([key])
            case .endWrite: inFlight.endWrite([key])
            case .beginWriteOfOther: inFlight.beginWrite(["other"])
            case .endWriteOfOther: inFlight.endWrite(["other"])
            case .beginSweep: inFlight.beginSweep()
            case .endSweep: inFlight.endSweep()
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
        var inFlight = LoadsInFlight<String>()
        Self.apply(before, to: &inFlight)
        let loadNumber = inFlight.lead(Self.key)
        let load = try #require(loadNumber)
        Self.apply(during, to: &inFlight)
        #expect(inFlight.mayPromote(Self.key, load: load) == isPromoted)
        #expect(inFlight.endLoad(Self.key, load: load).isEmpty)
        #expect(!inFlight.mayPromote(Self.key, load: load))
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
        var inFlight = LoadsInFlight<String>()
        Self.apply(before, to: &inFlight)
        let loadNumber = inFlight.lead(Self.key)
        let load = try #require(loadNumber)
        #expect(inFlight.join(Self.key, waiter: 1, "early") == true)
        Self.apply(during, to: &inFlight)
        #expect((inFlight.lead(Self.key) == nil) == isJoined)
        #expect(inFlight.join(Self.key, waiter: 2, "late") == true)
        #expect(inFlight.endLoad(Self.key, load: load) == (isJoined ? ["early", "late"] : ["early"]))
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
        var inFlight = LoadsInFlight<String>()
        Self.apply(before + [.beginWrite] + during, to: &inFlight)
        #expect(inFlight.mayKeep(Self.key) == isKept)
    }

    @Test func overlappingWritesOfAKeyAreNotStoredInMemory() {
        var inFlight = LoadsInFlight<String>()
        inFlight.beginWrite([Self.key, Self.key])
        #expect(!inFlight.mayKeep(Self.key))
        inFlight.endWrite([Self.key, Self.key])
        #expect(inFlight.isEmpty)
    }

    @Test func aWaiterThatLeavesIsNotResumed() throws {
        var inFlight = LoadsInFlight<String>()
        let loadNumber = inFlight.lead(Self.key)
        let load = try #require(loadNumber)
        #expect(inFlight.join(Self.key, waiter: 1, "first") == true)
        #expect(inFlight.join(Self.key, waiter: 2, "second") == true)
        #expect(inFlight.leave(Self.key, waiter: 1) == "first")
        #expect(inFlight.leave(Self.key, waiter: 1) == nil)
        inFlight.beginWrite([Self.key])
        #expect(inFlight.join(Self.key, waiter: 3, "no load to join") == false)
        #expect(inFlight.leave(Self.key, waiter: 2) == "second")
        #expect(inFlight.endLoad(Self.key, load: load) == [])
        #expect(inFlight.leave(Self.key, waiter: 2) == nil)
        inFlight.endWrite([Self.key])
        #expect(inFlight.isEmpty)
    }

    @Test(arguments: [false, true])
    func aLoadIsHandedOverToOneOfThoseWhoWait(isOvertaken: Bool) throws {
        var inFlight = LoadsInFlight<String>()
        let loadNumber = inFlight.lead(Self.key)
        let load = try #require(loadNumber)
        for (number, waiter) in ["a", "b", "c"].enumerated() { _ = inFlight.join(Self.key, waiter: number, waiter) }
        if isOvertaken { Self.apply([.beginWrite, .endWrite], to: &inFlight) }
        #expect(inFlight.handOver(Self.key, load: load) == "a")
        #expect(inFlight.mayPromote(Self.key, load: load) == !isOvertaken)
        #expect(inFlight.handOver(Self.key, load: load) == "b")
        #expect(inFlight.endLoad(Self.key, load: load) == ["c"])
        #expect(inFlight.handOver(Self.key, load: load) == nil)
        #expect(inFlight.isEmpty)
    }

    @Test func aLoadWithoutWaitersEndsWithItsLeader() throws {
        var inFlight = LoadsInFlight<String>()
        let loadNumber = inFlight.lead(Self.key)
        let load = try #require(loadNumber)
        #expect(inFlight.handOver(Self.key, load: load) == nil)
        #expect(inFlight.isEmpty)
    }
}
