import TangoCache
import Testing

@testable import TangoRequest
@testable import TestSupport

struct ChangeLogTests {
    @Test func changeConcernsOnlyWorkThatBeganBeforeIt() {
        let log = ChangeLog()
        let before = log.begin()
        log.note([.key("a")])
        let after = log.begin()
        #expect(log.hasChanged([.key("a")], since: before))
        #expect(!log.hasChanged([.key("a")], since: after))
    }

    @Test(arguments: [
        ChangeLog.Place.key("a"), .url("a"), .site("a"), .identity("a"), .tag("a"), .tag("e\u{301}"),
    ])
    func changeConcernsOnlyItsPlace(_ place: ChangeLog.Place) {
        let others: [ChangeLog.Place] = [
            .key("a"), .key("a1"), .url("a"), .site("a"), .identity("a"), .tag("a"), .tag("e\u{301}"), .tag("\u{e9}"),
        ]
        let log = ChangeLog()
        let mark = log.begin()
        log.note([place])
        for other in others { #expect(log.hasChanged([other], since: mark) == (other == place)) }
        #expect(log.hasChanged(others, since: mark))
        #expect(!log.hasChanged([], since: mark))
    }

    /// A response describes the state at the time when its request was sent.
    @Test func changeFoundInAResponseConcernsWorkThatBeganBeforeItsRequest() {
        let log = ChangeLog()
        let (first, second, third) = (log.begin(), log.begin(), log.begin())
        log.note([.key("a")], asOf: second)
        #expect(log.hasChanged([.key("a")], since: first))
        #expect(!log.hasChanged([.key("a")], since: second))
        #expect(!log.hasChanged([.key("a")], since: third))
        log.note([.key("a")])
        log.note([.key("a")], asOf: second)
        // The later change still counts.
        #expect(log.hasChanged([.key("a")], since: third))
    }

    @Test func revisionDiffersAfterAChange() {
        let log = ChangeLog()
        let revision = log.revision
        let mark = log.begin()
        #expect(log.revision == revision)
        log.note([.key("a")], asOf: mark)
        #expect(log.revision != revision)
    }

    @Test func fullLogRemovesItsOldestChanges() {
        let log = ChangeLog()
        let old = log.begin()
        log.note([.key("a")])
        let young = log.begin()
        for number in 0..<ChangeLog.limit - 1 {
            log.note([.key(CacheKey("b\(number)"))])
            log.note([.key(CacheKey("b\(number)"))])
        }
        #expect(log.hasChanged([.key("a")], since: old))
        #expect(!log.hasChanged([.key("a")], since: young))
        #expect(!log.hasChanged([.key("c")], since: old))
        for number in 0..<ChangeLog.limit { log.note([.key(CacheKey("c\(number)"))]) }
        // The log is full. Everything that began before the removed changes counts as changed.
        #expect(log.hasChanged([.key("a")], since: old))
        #expect(log.hasChanged([.key("d")], since: young))
        #expect(!log.hasChanged([.key("d")], since: log.begin()))
        // The newest changes are still in the log.
        let mark = log.begin()
        log.note([.key("e")])
        #expect(log.hasChanged([.key("e")], since: mark))
        #expect(!log.hasChanged([.key("f")], since: mark))
    }
}
