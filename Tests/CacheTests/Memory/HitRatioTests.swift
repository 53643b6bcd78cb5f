import Foundation
import Testing

@testable import TangoCache

/// The share of hits on generated traces, beside that of a plain LRU of the same size.
@Suite struct HitRatioTests {
    struct Trace: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var keys: @Sendable () -> [Int]
    }

    /// The highest accepted difference below LRU, as a fraction.
    private static let tolerance = 0.005
    private static let universe = 10_000
    private static let length = 100_000

    static let traces = [
        Trace(testDescription: "zipf 0.8") { zipf(0.8) },
        Trace(testDescription: "zipf 1.0") { zipf(1) },
        Trace(testDescription: "zipf with scans") {
            var next = universe
            return zipf(1).enumerated().map { index, key in
                guard index % 5000 < 1500 else { return key }
                next += 1
                return next
            }
        },
        Trace(testDescription: "zipf with a third that comes once") {
            zipf(1).enumerated().map { index, key in index.isMultiple(of: 3) ? universe + index : key }
        },
        Trace(testDescription: "a loop larger than the cache") { (0..<length).map { $0 % 1200 } },
    ]

    @Test(arguments: traces, [100, 1000])
    func isAtLeastThatOfLRU(_ trace: Trace, capacity: Int) throws {
        let keys = trace.keys()
        let store = MemoryStore(limits: CacheLimits(count: capacity))
        for key in keys {
            let key = CacheKey("\(key)")
            if store.peek(key) == nil { try store.put(CacheEntry(body: .init()), for: key) }
        }
        let own = try #require(store.numbers.hitRatio)
        #expect(own >= Self.hitRatioOfLRU(keys, capacity) - Self.tolerance)
    }

    /// Returns keys whose frequencies fall with a power of their rank.
    private static func zipf(_ exponent: Double) -> [Int] {
        var random = SeededNumbers(1)
        var sum = 0.0
        let sums = (1...universe).map { rank in
            sum += 1 / pow(Double(rank), exponent)
            return sum
        }
        return (0..<length).map { _ in
            let point = Double.random(in: 0..<sum, using: &random)
            var (low, high) = (0, universe - 1)
            while low < high {
                let middle = (low + high) / 2
                if sums[middle] <= point { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    private static func hitRatioOfLRU(_ keys: [Int], _ capacity: Int) -> Double {
        var lastUse: [Int: Int] = [:]
        var order: [Int] = []
        var oldest = 0
        var hits = 0
        for (time, key) in keys.enumerated() {
            if lastUse.updateValue(time, forKey: key) != nil { hits += 1 }
            order.append(key)
            while lastUse.count > capacity {
                // An earlier use of a key that was used again does not count.
                if lastUse[order[oldest]] == oldest { lastUse[order[oldest]] = nil }
                oldest += 1
            }
        }
        return Double(hits) / Double(keys.count)
    }
}
