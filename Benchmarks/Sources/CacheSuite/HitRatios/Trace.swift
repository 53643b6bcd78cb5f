#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A sequence of reads, the same in every run.
struct Trace: Sendable {
    let name: String
    /// The number of the entry that each request reads.
    let requests: [Int]

    /// The number of entries that are read repeatedly. Entries that are read once have higher numbers.
    static let universe = 100_000

    static func all(_ count: Int) -> [Trace] {
        [
            zipf("zipf 0.8", count, skew: 0.8),
            zipf("zipf 1.0", count, skew: 1),
            scans(count),
            oneHits(count),
            Trace("loop over 12,000", count) { number, _ in number % 12_000 },
            drift(count),
        ]
    }

    private init(_ name: String, _ count: Int, _ next: (Int, inout Random) -> Int) {
        var random = Random(seed: 1)
        self.name = name
        requests = (0..<count).map { next($0, &random) }
    }

    /// With a skew of 1, entry n is read 1/n as often as the first entry.
    private static func zipf(_ name: String, _ count: Int, skew: Double) -> Trace {
        let zipf = Zipf(skew: skew)
        return Trace(name, count) { _, random in zipf.next(&random) }
    }

    /// Every 50,000 requests begin with a scan of 20,000 entries that are read only once.
    private static func scans(_ count: Int) -> Trace {
        let zipf = Zipf(skew: 1)
        return Trace("zipf 1.0 and scans", count) { number, random in
            number % 50_000 < 20_000 ? universe + number : zipf.next(&random)
        }
    }

    private static func oneHits(_ count: Int) -> Trace {
        let zipf = Zipf(skew: 1)
        return Trace("zipf 1.0, 30 % asked for once", count) { number, random in
            Int.random(in: 0..<10, using: &random) < 3 ? universe + number : zipf.next(&random)
        }
    }

    /// Every 50,000 requests, a fifth of the entries change places with others.
    private static func drift(_ count: Int) -> Trace {
        let zipf = Zipf(skew: 1)
        var places = Array(0..<universe)
        return Trace("zipf 1.0 that drifts", count) { number, random in
            if number % 50_000 == 49_999 {
                for _ in 0..<(universe / 10) {
                    places.swapAt(
                        Int.random(in: places.indices, using: &random), Int.random(in: places.indices, using: &random))
                }
            }
            return places[zipf.next(&random)]
        }
    }
}

/// Random numbers from 0. Smaller numbers are more likely.
private struct Zipf {
    private let sums: [Double]

    init(skew: Double) {
        var sum = 0.0
        sums = (1...Trace.universe).map { rank in
            sum += pow(Double(rank), -skew)
            return sum
        }
    }

    func next(_ random: inout Random) -> Int {
        let target = Double.random(in: 0..<(sums.last ?? 1), using: &random)
        var (low, high) = (0, sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] <= target { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
