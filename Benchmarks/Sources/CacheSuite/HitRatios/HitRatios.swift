import Harness
import Tango

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The hit ratio of each trace in a store with room for 1 % and for 10 % of the entries.
///
/// The first quarter of a trace fills the caches and is not counted.
public func hitRatios(_ size: Size) -> String {
    var table = Table()
    table.add(["hits in %", "room", "LRU", "MemoryStore"])
    for trace in Trace.all(size(1_000_000)) {
        for (name, room) in [("1 %", Trace.universe / 100), ("10 %", Trace.universe / 10)] {
            let ratios = [leastRecentlyUsed(trace, room), memoryStore(trace, room)]
            table.add([trace.name, name] + ratios.map { Format.decimal($0 * 100, places: 1) })
        }
    }
    return table.text
}

private func leastRecentlyUsed(_ trace: Trace, _ room: Int) -> Double {
    var cache = LeastRecentlyUsed(capacity: room)
    return share(of: trace) { number in cache.ask(for: number) }
}

private func memoryStore(_ trace: Trace, _ room: Int) -> Double {
    let store = MemoryStore(limits: CacheLimits(count: room))
    let entry = CacheEntry(body: Data(), written: Date())
    return share(of: trace) { number in
        let key = CacheKey("entry \(number)")
        if store.peek(key) != nil { return true }
        try? store.put(entry, for: key)
        return false
    }
}

private func share(of trace: Trace, _ ask: (Int) -> Bool) -> Double {
    let warmUp = trace.requests.count / 4
    var hits = 0
    for (position, number) in trace.requests.enumerated() where ask(number) && position >= warmUp { hits += 1 }
    return Double(hits) / Double(trace.requests.count - warmUp)
}
