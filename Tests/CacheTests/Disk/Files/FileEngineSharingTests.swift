import Foundation
import Testing

@testable import TangoCache

@Suite struct FileEngineSharingTests {
    /// Returns an entry with a body that identifies it in every byte.
    private func entry(_ key: Int, _ version: Int) -> CacheEntry {
        var entry = CacheEntry(body: Data(repeating: UInt8(version % 251), count: 100 + version * 977 % 150_000))
        entry.metadata = ["key": "\(key)", "version": "\(version)"]
        entry.written = Date()
        return entry
    }

    private func isWhole(_ found: CacheEntry, _ key: Int) -> Bool {
        guard found.metadata["key"] == "\(key)", let version = found.metadata["version"].flatMap({ Int($0) }) else {
            return false
        }
        return found.body == entry(key, version).body
    }

    @Test(arguments: [nil, 2_000_000]) func twoEnginesAndManyThreadsSeeWholeEntries(_ bytes: Int?) async throws {
        let bench = try FileBench()
        let limits = CacheLimits(bytes: bytes, count: bytes == nil ? nil : 20)
        let engines = [try bench.engine(limits), try bench.engine(limits)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    let engine = engines[worker % 2]
                    for round in 0..<60 {
                        let key = (worker * 7 + round * 13) % 30
                        switch (worker + round) % 5 {
                        case 0, 1: try await engine.set(entry(key, worker * 60 + round), for: "\(key)")
                        case 2: try await engine.remove(["\(key)"])
                        case 3:
                            guard let reader = try engine.reader(for: "\(key)") else { continue }
                            var count = 0
                            for try await portion in reader { count += portion.count }
                            #expect(count == reader.item.size)
                        default:
                            if let found = try engine.get("\(key)") { #expect(isWhole(found, key)) }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for key in 0..<30 {
            if let found = try engines[0].get("\(key)") { #expect(isWhole(found, key)) }
        }
        #expect(bench.temporary == [])
        #expect(!bench.events.contains { if case .damaged = $0 { true } else { false } })
        for engine in engines { try await engine.maintain() }
        let fill = try engines[0].fill()
        #expect(limits.allow(count: fill.count, bytes: fill.bytes))
    }

    @Test func oneEngineWithManyThreadsStaysWithinItsLimits() async throws {
        let bench = try FileBench()
        let limits = CacheLimits(bytes: 600_000, count: 25)
        let engine = try bench.engine(limits)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<6 {
                group.addTask {
                    for round in 0..<50 {
                        let key = (worker * 11 + round * 17) % 60
                        try await engine.set(CacheEntry(body: Data(count: round * 700), written: Date()), for: "\(key)")
                        if round % 7 == 0 { try await engine.remove(["\(key)"]) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let fill = try engine.fill()
        #expect(limits.allow(count: fill.count, bytes: fill.bytes))
        #expect(fill.count > 5)
    }
}
