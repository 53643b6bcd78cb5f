import Foundation
import TangoCache
import Testing

@testable import CacheProcess

@Suite struct SizeTests {
    private let folder = ScratchFolder()

    @Test func keysAreAnyBytes() async throws {
        let store = try DiskStore(directory: folder.url, onEvent: { Issue.record("\($0)") })
        var random = Pseudorandom(seed: 42)
        var kept: [CacheKey: Int] = [:]
        for number in 0..<(isLongRun ? 20_000 : 400) {
            let count = Int.random(in: 0...(number % 50 == 0 ? 100_000 : 40), using: &random)
            let key = CacheKey(bytes: (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
            try await store.set(CacheEntry(body: Data("\(number)".utf8) + Data(count: number % 7 * 4_000)), for: key)
            kept[key] = number
        }
        for (key, number) in kept {
            let body = try await store.get(key)?.body
            #expect(body == Data("\(number)".utf8) + Data(count: number % 7 * 4_000))
        }
        var listed: Set<CacheKey> = []
        for try await item in store.entries() { #expect(listed.insert(item.key).inserted) }
        #expect(listed == Set(kept.keys))
        for key in kept.keys.prefix(200) {
            try await store.remove(key)
            #expect(try await store.get(key) == nil)
        }
        await store.close()
    }

    @Test func bodiesAreOfAnySize() async throws {
        let store = try DiskStore(directory: folder.url, limits: .unlimited, onEvent: { _ in })
        var random = Pseudorandom(seed: 7)
        for size in [0, 1, 16_383, 16_384, 16_385, (isLongRun ? 100 : 20) << 20] {
            let body = Payload.bytes(size, &random)
            try await store.set(CacheEntry(body: body), for: "body")
            #expect(try await store.get("body")?.body == body)
            let reader = try #require(try await store.reader(for: "body"))
            var read = Data()
            for try await portion in reader { read.append(portion) }
            #expect(read == body)
        }
        try await store.maintain()
        try StoreInspection.expectOrder(in: folder.url)
        await store.close()
    }

    @Test func aStoreWithManyEntriesOpensAsFast() async throws {
        let count = isLongRun ? 1_000_000 : 20_000
        do {
            let store = try DiskStore(directory: folder.url, limits: .unlimited, onEvent: { _ in })
            for start in stride(from: 0, to: count, by: 2_000) {
                try await store.setMany((start..<start + 2_000).map { ("\($0)", CacheEntry(body: Data(count: 100))) })
            }
            await store.close()
        }
        let clock = ContinuousClock()
        let start = clock.now
        let store = try DiskStore(directory: folder.url, limits: .unlimited, onEvent: { _ in })
        let opened = clock.now - start
        #expect(try await store.get("\(count - 1)") != nil)
        let first = clock.now - start
        print("\(count) entries: opened in \(opened), the first one read after \(first)")
        #expect(try await store.statistics().count == count)
        await store.close()
    }
}
