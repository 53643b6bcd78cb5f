import Testing

@testable import TangoRequest
@testable import TangoURLSession
@testable import TestSupport

struct RecentlyUsedTests {
    @Test func leastRecentlyUsedValueIsDropped() {
        var map = RecentlyUsed<String, Int>(most: 2)
        #expect(map.find("a") == nil)
        #expect(map.insert(1, for: "a") == nil)
        #expect(map.insert(2, for: "b") == nil)
        #expect(map.find("a") == 1)
        #expect(map.insert(3, for: "c") == 2)
        #expect(map.find("b") == nil)
        #expect(map.all.sorted() == [1, 3])
    }

    @Test func insertReplacesOnlyTheValueOfTheKey() {
        var map = RecentlyUsed<String, Int>(most: 2)
        _ = map.insert(1, for: "a")
        _ = map.insert(2, for: "b")
        #expect(map.insert(3, for: "b") == 2)
        #expect(map.all.sorted() == [1, 3])
        // The replacement counts as a use.
        #expect(map.insert(4, for: "c") == 1)
    }

    @Test(arguments: [0, -1, 1])
    func capacityIsAtLeastOne(most: Int) {
        var map = RecentlyUsed<String, Int>(most: most)
        #expect(map.insert(1, for: "a") == nil)
        #expect(map.find("a") == 1)
        #expect(map.insert(2, for: "b") == 1)
        #expect(map.all == [2])
    }
}
