import Synchronization

/// The counters of an open store.
final class Counters: Sendable {
    private let hits = Atomic(0)
    private let misses = Atomic(0)
    private let evictions = Atomic(0)
    private let damaged = Atomic(0)

    @inline(__always)
    func count(hit isHit: Bool) {
        if isHit { hits.wrappingAdd(1, ordering: .relaxed) } else { misses.wrappingAdd(1, ordering: .relaxed) }
    }

    func count(_ event: CacheEvent) {
        switch event {
        case .evicted(let count, _): evictions.wrappingAdd(count, ordering: .relaxed)
        case .damaged: damaged.wrappingAdd(1, ordering: .relaxed)
        default: break
        }
    }

    func statistics(of totals: Totals) -> CacheStatistics {
        CacheStatistics(
            count: Int(totals.count), bytes: Int(totals.bytes), pinnedCount: Int(totals.pinnedCount),
            pinnedBytes: Int(totals.pinnedBytes), hits: hits.load(ordering: .relaxed),
            misses: misses.load(ordering: .relaxed), evictions: evictions.load(ordering: .relaxed),
            damaged: damaged.load(ordering: .relaxed))
    }
}
