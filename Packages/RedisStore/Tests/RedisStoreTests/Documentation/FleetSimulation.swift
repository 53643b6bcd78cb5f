import Foundation

/// A model of a fleet with one origin. Requests come in order of time. The keys are as popular as words in a text: the
/// second is requested half as often as the first.
struct FleetSimulation {
    enum Tier: String, CaseIterable {
        case memory = "memory only"
        case shared = "memory, Redis"
        case locked = "memory, Redis, lock"
    }

    struct Result: Equatable {
        var requests = 0
        var memoryHits = 0
        var sharedHits = 0
        var loads = 0

        /// The row of the article.
        func row(_ tier: Tier) -> String {
            func percent(_ count: Int) -> String { String(format: "%.1f %%", Double(count) * 100 / Double(requests)) }
            return
                "| \(tier.rawValue) | \(percent(memoryHits)) | \(percent(sharedHits)) | \(loads) | \(percent(loads)) |"
        }
    }

    let processes = 200
    let keys = 10_000
    /// The requests of the whole fleet in a second.
    let rate = 2_000.0
    let seconds = 120.0
    /// The seconds for which a response is fresh.
    let lifetime = 60.0
    /// The seconds that the origin takes.
    let latency = 0.2

    /// The time from which a copy can be used, and that at which it expires.
    private struct Copy {
        var ready: Double
        var expires: Double
    }

    func run(_ tier: Tier) -> Result {
        var random = Random(state: 20_241_124)
        var weights: [Double] = []
        var sum = 0.0
        for rank in 1...keys {
            sum += 1 / Double(rank)
            weights.append(sum)
        }
        var memory = [[Int: Copy]](repeating: [:], count: processes)
        var shared: [Int: Copy] = [:]
        var result = Result()
        var time = 0.0
        while time < seconds {
            time += 1 / rate
            let process = Int(random.next() % UInt64(processes))
            let key = Self.position(of: Double(random.next()) / Double(1 << 31) * sum, in: weights)
            result.requests += 1
            // A process also waits for its own load in flight.
            if let copy = memory[process][key], copy.expires > time {
                result.memoryHits += 1
                continue
            }
            if tier != .memory, let copy = shared[key], copy.expires > time {
                // Without a lock, other processes load too until the first load is stored.
                if copy.ready <= time || tier == .locked {
                    result.sharedHits += 1
                    memory[process][key] = copy
                    continue
                }
            }
            result.loads += 1
            let copy = Copy(ready: time + latency, expires: time + latency + lifetime)
            memory[process][key] = copy
            if tier != .memory, shared[key].map({ $0.expires <= time }) ?? true { shared[key] = copy }
        }
        return result
    }

    private static func position(of value: Double, in sums: [Double]) -> Int {
        var low = 0
        var high = sums.count - 1
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
