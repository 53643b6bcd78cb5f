/// The loads, writes and sweeps in flight between memory and the backing store. A plain value, guarded by a lock.
///
/// A *load* reads an entry from the backing store; other callers of the same key join it. A *write* changes one key in
/// the backing store. A *sweep* changes any number of keys. The rules:
///
/// - A load may store its entry in memory if no write of its key and no sweep has overlapped with it.
/// - A write may store its entry in memory if no other write of its key and no sweep has overlapped with it.
/// - A caller may join a load only if no write of the key and no sweep has begun or ended since the load began.
///
/// So memory only has entries that the backing store has, and a read after a write never returns an older entry.
struct LoadsInFlight<Waiter> {
    private struct Load {
        let number: Int
        let isClean: Bool
        /// A load that a write or a sweep has overtaken only serves its present waiters.
        var isOvertaken = false
        var waiters: [(number: Int, waiter: Waiter)] = []
    }

    /// The operations in flight for one key.
    private struct Traffic {
        /// The loads in the order of their beginnings. All but the last one are overtaken.
        var loads: [Load] = []
        var writes = 0
        var isOverlapped = false

        var isOver: Bool { loads.isEmpty && writes == 0 }

        /// The position of the load that callers may join.
        var current: Int? {
            loads.last?.isOvertaken == false ? loads.count - 1 : nil
        }

        mutating func overtake() {
            if let current { loads[current].isOvertaken = true }
        }

        func position(of number: Int) -> Int? {
            loads.firstIndex { $0.number == number }
        }
    }

    private var traffic: [CacheKey: Traffic] = [:]
    private var sweeps = 0
    private var lastNumber = 0

    /// Returns whether no operation is in flight.
    var isEmpty: Bool { traffic.isEmpty && sweeps == 0 }

    /// Returns the number of waiters of the loads of a key.
    func waiters(of key: CacheKey) -> Int {
        traffic[key]?.loads.reduce(0) { $0 + $1.waiters.count } ?? 0
    }

    /// Returns a number for a load or a waiter.
    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    private mutating func clear(_ key: CacheKey) {
        if traffic[key]?.isOver == true { traffic[key] = nil }
    }

    // MARK: Loads

    /// Begins a load and returns its number, or nil if there is one to join.
    mutating func lead(_ key: CacheKey) -> Int? {
        let number = nextNumber()
        let lead = { (traffic: inout Traffic, isClean: Bool) -> Int? in
            guard traffic.current == nil else { return nil }
            traffic.loads.append(Load(number: number, isClean: isClean && traffic.writes == 0))
            return number
        }
        return lead(&traffic[key, default: Traffic()], sweeps == 0)
    }

    /// Joins the load in flight. Returns false if there is no load to join.
    mutating func join(_ key: CacheKey, waiter number: Int, _ waiter: Waiter) -> Bool {
        guard let current = traffic[key]?.current else { return false }
        traffic[key]?.loads[current].waiters.append((number, waiter))
        return true
    }

    /// Removes a waiter. Returns nil if it no longer waits.
    mutating func leave(_ key: CacheKey, waiter number: Int) -> Waiter? {
        for (index, load) in (traffic[key]?.loads ?? []).enumerated() {
            guard let place = load.waiters.firstIndex(where: { $0.number == number }) else { continue }
            return traffic[key]?.loads[index].waiters.remove(at: place).waiter
        }
        return nil
    }

    /// Returns whether the result of a load may be stored in memory.
    func mayPromote(_ key: CacheKey, load number: Int) -> Bool {
        guard let traffic = traffic[key], let current = traffic.current else { return false }
        return traffic.loads[current].number == number && traffic.loads[current].isClean
    }

    /// Ends a load and returns its waiters.
    mutating func endLoad(_ key: CacheKey, load number: Int) -> [Waiter] {
        defer { clear(key) }
        guard let index = traffic[key]?.position(of: number) else { return [] }
        return traffic[key]?.loads.remove(at: index).waiters.map(\.waiter) ?? []
    }

    /// Returns the waiter that must continue a load. If there is none, returns nil, and the load has ended.
    mutating func handOver(_ key: CacheKey, load number: Int) -> Waiter? {
        defer { clear(key) }
        guard let index = traffic[key]?.position(of: number), let load = traffic[key]?.loads[index] else { return nil }
        if load.waiters.isEmpty {
            traffic[key]?.loads.remove(at: index)
            return nil
        }
        return traffic[key]?.loads[index].waiters.removeFirst().waiter
    }

    // MARK: Writes and sweeps

    /// Begins a write of some keys. A key that occurs twice counts as two writes.
    mutating func beginWrite(_ keys: [CacheKey]) {
        for key in keys {
            let begin = { (traffic: inout Traffic, isSwept: Bool) in
                traffic.overtake()
                traffic.writes += 1
                if isSwept || traffic.writes > 1 { traffic.isOverlapped = true }
            }
            begin(&traffic[key, default: Traffic()], sweeps > 0)
        }
    }

    /// Returns whether a written entry may be stored in memory.
    func mayKeep(_ key: CacheKey) -> Bool {
        guard let traffic = traffic[key] else { return false }
        return traffic.writes == 1 && !traffic.isOverlapped
    }

    /// Returns whether a write of a key or a sweep is in flight.
    func isChanging(_ key: CacheKey) -> Bool {
        sweeps > 0 || (traffic[key]?.writes ?? 0) > 0
    }

    mutating func endWrite(_ keys: [CacheKey]) {
        for key in keys {
            traffic[key]?.overtake()
            traffic[key]?.writes -= 1
            if traffic[key]?.writes == 0 { traffic[key]?.isOverlapped = false }
            clear(key)
        }
    }

    /// Begins a change of keys that are not known in advance.
    mutating func beginSweep() {
        sweeps += 1
        markOvertaken()
    }

    /// Ends such a change.
    mutating func endSweep() {
        sweeps -= 1
        markOvertaken()
    }

    /// Marks all operations in flight as overtaken, so that their results are not stored in memory.
    private mutating func markOvertaken() {
        for key in traffic.keys {
            traffic[key]?.overtake()
            if let writes = traffic[key]?.writes, writes > 0 { traffic[key]?.isOverlapped = true }
        }
    }
}
