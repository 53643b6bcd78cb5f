import Foundation
import Testing

@testable import TangoCache

@Suite struct SmallValueTests {
    @Test(arguments: [(0, 0, 1.0), (0, 4, 0), (1, 4, 0.25), (4, 4, 1)])
    func progressIsAFraction(_ removed: Int, _ total: Int, _ fraction: Double) {
        #expect(CacheProgress(removed: removed, total: total).fraction == fraction)
    }

    @Test func theHitRatioBeginsWithTheFirstRead() {
        #expect(CacheStatistics().hitRatio == nil)
        #expect(CacheStatistics(hits: 3, misses: 1).hitRatio == 0.75)
        #expect(CacheStatistics(misses: 2).hitRatio == 0)
    }

    @Test func limitsLimitWhatTheySay() {
        #expect(CacheLimits() == .unlimited)
        let limits = CacheLimits(bytes: 1, count: 2, age: .seconds(3))
        #expect(limits.bytes == 1)
        #expect(limits.count == 2)
        #expect(limits.age == .seconds(3))
    }

    @Test func anErrorSaysItsCodeAndItsMessage() {
        let cause = CacheError(.system, "It hurts.")
        let error = CacheError(.init("mine"), "It is so.", underlying: cause)
        #expect("\(error)" == "mine: It is so.")
        #expect(error.code == CacheError.Code("mine"))
        #expect(error.underlying is CacheError)
        #expect(CacheError(.diskFull, "").code != .full)
    }

    @Test(arguments: events)
    func anEventSaysWhatHappened(_ event: CacheEvent, _ description: String) {
        #expect(event.description == description)
    }

    private static let events: [(CacheEvent, String)] = [
        (
            .reset(reason: "bad header", setAside: URL(fileURLWithPath: "/cache/old")),
            "the cache starts empty: bad header; the old one is in /cache/old"
        ),
        (.reset(reason: "bad header", setAside: nil), "the cache starts empty: bad header"),
        (.damaged(key: "a", reason: "short"), "the entry a was damaged and removed: short"),
        (.damaged(key: nil, reason: "short"), "an entry was damaged and removed: short"),
        (
            .fellBack(reason: "no library"),
            "entries stay in memory, because the disk cannot be used; opening is retried: no library"
        ),
        (.outdated(reason: "version 2"), "the cache starts empty: version 2"),
        (.evicted(count: 2, bytes: 30), "2 entries of 30 bytes were evicted"),
        (.swept(files: 4), "4 files of a killed process were removed"),
        (.failed(CacheError(.busy, "Later.")), "work in the background failed: busy: Later."),
    ]

    @Test func aHookCanBeReplacedAndCalledFromItself() {
        let heard = Guarded<[String]>([])
        let hook = Hook { _ in heard.change { $0.append("first") } }
        hook.report(.swept(files: 1))
        hook.report = { event in
            heard.change { $0.append(event.description) }
            hook.report = { _ in heard.change { $0.append("third") } }
        }
        hook.report(.evicted(count: 1, bytes: 2))
        hook.report(.swept(files: 1))
        #expect(heard.value == ["first", "1 entries of 2 bytes were evicted", "third"])
    }

    @Test func aWallClockMayBeATests() {
        let time = Date(timeIntervalSince1970: 5)
        let clock = WallClock { time }
        #expect(clock.now == time)
        #expect(clock.roughly == time.timeIntervalSinceReferenceDate)
    }

    @Test func theRoughTimeIsNearTheTime() {
        // The coarse clock of the system lags behind by up to a tick, and may be stepped between the two.
        let clock = WallClock(nil)
        #expect(abs(clock.now.timeIntervalSinceReferenceDate - clock.roughly) < 60)
    }
}
