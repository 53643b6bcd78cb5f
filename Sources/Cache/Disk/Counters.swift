import Synchronization

/// The counters of an open store.
final class Counters: Sendable {
    private let hits = Atomic(0)
    private let misses = Atomic(0)
    private let evictions = Atomic(0)
    private let damaged = Atomic(0)

    @inline(__always)
    func hit() {
        hits.wrappingAdd(1, ordering: .relaxed)
    }

    @inline(__always)
    func miss() {
        misses.wrappingAdd(1, ordering: .relaxed)
    }

    func count(hit isHit: Bool) {
        if isHit { hit() } else { miss() }
    }

    /// Updates the counters for an event.
    func count(_ event: CacheEvent) {
        switch event {
        case .evicted(let count, _): evictions.wrappingAdd(count, ordering: .relaxed)
        case .damaged: damaged.wrappingAdd(1, ordering: .relaxed)
        default: break
        }
    }

    func statistics(of fill: DiskFill) -> CacheStatistics {
        CacheStatistics(
            count: fill.count, bytes: fill.bytes, pinnedCount: fill.pinnedCount, pinnedBytes: fill.pinnedBytes,
            hits: hits.load(ordering: .relaxed), misses: misses.load(ordering: .relaxed),
            evictions: evictions.load(ordering: .relaxed), damaged: damaged.load(ordering: .relaxed))
    }
}

/// Counts events and passes them on.
struct Reporter: Sendable {
    let report: @Sendable (CacheEvent) -> Void

    init(_ onEvent: (@Sendable (CacheEvent) -> Void)?, _ counters: Counters) {
        report = { event in
            counters.count(event)
            (onEvent ?? CacheEvents.onEvent)(event)
        }
    }
}
