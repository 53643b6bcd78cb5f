import Foundation
import TangoCache
import Testing

@Suite struct CacheEntryTests {
    private let time = Date(timeIntervalSince1970: 1_000)

    @Test func anEntryOfABodyHasNothingElse() {
        let entry = CacheEntry(body: Data([1, 2]))
        #expect(entry.body == Data([1, 2]))
        #expect(entry.written == nil)
        #expect(entry.metadata == [:])
        #expect(entry.expires == nil)
        #expect(entry.tags == [])
        #expect(!entry.pinned)
        #expect(entry.object == nil)
    }

    @Test func anEntryHasWhatItWasMadeWith() {
        let entry = CacheEntry(
            body: Data([1]), metadata: ["a": "b"], expires: time, tags: ["c"], pinned: true, object: 7, written: time)
        #expect(entry.metadata == ["a": "b"])
        #expect(entry.expires == time)
        #expect(entry.tags == ["c"])
        #expect(entry.pinned)
        #expect(entry.object as? Int == 7)
        #expect(entry.written == time)
    }

    @Test func eachPropertyChangesAlone() {
        var entry = CacheEntry(body: Data())
        entry.metadata["a"] = "b"
        entry.expires = time
        entry.tags.insert("c")
        entry.pinned = true
        entry.object = "o"
        entry.written = time
        entry.body.append(1)
        #expect(entry.metadata == ["a": "b"])
        #expect(entry.expires == time)
        #expect(entry.tags == ["c"])
        #expect(entry.pinned)
        #expect(entry.object as? String == "o")
        #expect(entry.written == time)
        #expect(entry.body == Data([1]))
    }

    @Test func eachPropertyCanBeTakenBack() {
        var entry = CacheEntry(
            body: Data(), metadata: ["a": "b"], expires: time, tags: ["c"], pinned: true, object: 7, written: time)
        entry.expires = nil
        #expect(entry.expires == nil)
        entry.object = nil
        #expect(entry.object == nil)
        entry.metadata = [:]
        entry.tags = []
        entry.pinned = false
        entry.written = nil
        #expect(entry.description == "CacheEntry(0 bytes)")
    }

    @Test func aCopyChangesByItself() {
        let entry = CacheEntry(body: Data([1]), metadata: ["a": "b"], tags: ["c"])
        var copy = entry
        copy.metadata["a"] = "z"
        copy.tags = []
        copy.pinned = true
        copy.body[0] = 9
        #expect(entry.metadata == ["a": "b"])
        #expect(entry.tags == ["c"])
        #expect(!entry.pinned)
        #expect(entry.body == Data([1]))
    }

    @Test func aBodyBeginsAtIndexZero() {
        let slice = Data(0..<100)[50..<60]
        var entry = CacheEntry(body: slice)
        #expect(entry.body.startIndex == 0)
        #expect(entry.body[0] == 50)
        entry.body = slice.dropFirst()
        #expect(entry.body.startIndex == 0)
        #expect(entry.body == Data(51..<60))
        entry.body.removeFirst(4)
        #expect(entry.body.startIndex == 0)
        #expect(entry.body == Data(55..<60))
    }

    @Test func theDescriptionSaysWhatThereIs() {
        let entry = CacheEntry(
            body: Data([1, 2]), metadata: ["b": "secret", "a": "secret"], expires: time, tags: ["t", "s"], pinned: true,
            object: 7, written: time)
        #expect(
            entry.description
                == "CacheEntry(2 bytes, written \(time), expires \(time), metadata a, b, tags s, t, pinned, with its object)"
        )
    }

    @Test func anItemSaysWhatTheEntryDoes() {
        let entry = CacheEntry(
            body: Data([1, 2]), metadata: ["a": "b"], expires: time, tags: ["c"], pinned: true, written: time)
        let item = CacheItem(key: "k", entry: entry)
        #expect(item.key == "k")
        #expect(item.size == 2)
        #expect(item.written == time)
        #expect(item.expires == time)
        #expect(item.metadata == ["a": "b"])
        #expect(item.tags == ["c"])
        #expect(item.pinned)
    }

    @Test func anItemOfAnEntryThatIsNotStoredIsFromNow() {
        let before = Date()
        let item = CacheItem(key: "k", entry: CacheEntry(body: Data()))
        #expect((before...Date()).contains(item.written))
    }
}
