/// What is under way between two tiers, and what it may leave in the upper one: a plain value, for a lock to guard.
///
/// A *load* brings an entry from the lower tier; callers who want the same key meanwhile wait for it. A *write* changes one
/// key in the lower tier, a *sweep* changes any number. The rules:
///
/// - A load may promote what it brings if no write of its key and no sweep has been under way since it began.
/// - A write may keep its entry in the upper tier if no other write of its key and no sweep has overlapped with it.
/// - Nobody joins a load that began before a write or a sweep that has begun or ended since.
///
/// So what gets into the upper tier is what the lower one has, and who comes after a write never sees what was before.
struct Flights<Waiter> {
    private struct Load {
        let number: Int
        let isClean: Bool
        var waiters: [(number: Int, waiter: Waiter)] = []
    }

    /// What is under way for one key.
    private struct Traffic {
        /// The load that others may join.
        var current: Load?
        /// Loads that a write or a sweep has left behind: they serve those who wait for them already.
        var detached: [Load] = []
        var writes = 0
        var isOverlapped = false

        var isOver: Bool { current == nil && detached.isEmpty && writes == 0 }

        mutating func detach() {
            if let load = current { detached.append(load) }
            current = nil
        }

        mutating func change<Result>(_ number: Int, _ body: (inout Load?) -> Result) -> Result? {
            if current?.number == number { return body(&current) }
            guard let index = detached.firstIndex(where: { $0.number == number }) else { return nil }
            var load = Optional(detached.remove(at: index))
            let result = body(&load)
            if let load { detached.insert(load, at: index) }
            return result
        }
    }

    private var traffic: [CacheKey: Traffic] = [:]
    private var sweeps = 0
    private var lastNumber = 0

    /// Whether nothing is under way.
    var isEmpty: Bool { traffic.isEmpty && sweeps == 0 }

    /// How many wait for the loads of a key.
    func waiters(of key: CacheKey) -> Int {
        guard let traffic = traffic[key] else { return 0 }
        return traffic.detached.reduce(traffic.current?.waiters.count ?? 0) { $0 + $1.waiters.count }
    }

    private mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    private mutating func clear(_ key: CacheKey) {
        if traffic[key]?.isOver == true { traffic[key] = nil }
    }

    // MARK: Loads

    /// Begins a load, and returns its number; nil if there is one to join.
    mutating func lead(_ key: CacheKey) -> Int? {
        let number = nextNumber()
        let lead = { (traffic: inout Traffic, isClean: Bool) -> Int? in
            guard traffic.current == nil else { return nil }
            traffic.current = Load(number: number, isClean: isClean && traffic.writes == 0)
            return number
        }
        return lead(&traffic[key, default: Traffic()], sweeps == 0)
    }

    /// Waits for the load that is under way, and returns the number of the waiter; nil if there is none to join.
    mutating func join(_ key: CacheKey, _ waiter: Waiter) -> Int? {
        guard traffic[key]?.current != nil else { return nil }
        let number = nextNumber()
        traffic[key]?.current?.waiters.append((number, waiter))
        return number
    }

    /// Waits no longer. Nil if the waiter is not waiting any more.
    mutating func leave(_ key: CacheKey, waiter number: Int) -> Waiter? {
        let leave = { (load: inout Load) -> Waiter? in
            guard let index = load.waiters.firstIndex(where: { $0.number == number }) else { return nil }
            return load.waiters.remove(at: index).waiter
        }
        guard var waiting = traffic[key] else { return nil }
        defer { traffic[key] = waiting }
        if var current = waiting.current, let waiter = leave(&current) {
            waiting.current = current
            return waiter
        }
        for index in waiting.detached.indices {
            if let waiter = leave(&waiting.detached[index]) { return waiter }
        }
        return nil
    }

    /// Whether what a load has brought may go to the upper tier.
    func mayPromote(_ key: CacheKey, load number: Int) -> Bool {
        guard let current = traffic[key]?.current else { return false }
        return current.number == number && current.isClean
    }

    /// Ends a load, and returns who waits for it.
    mutating func land(_ key: CacheKey, load number: Int) -> [Waiter] {
        defer { clear(key) }
        let waiters = traffic[key]?.change(number) { load in
            defer { load = nil }
            return load?.waiters.map(\.waiter) ?? []
        }
        return waiters ?? []
    }

    /// The one of those who wait for a load that is to lead it from now on. Nil if nobody waits: the load has ended.
    mutating func handOver(_ key: CacheKey, load number: Int) -> Waiter? {
        defer { clear(key) }
        let waiter = traffic[key]?.change(number) { load -> Waiter? in
            guard let waiters = load?.waiters, !waiters.isEmpty else {
                load = nil
                return nil
            }
            return load?.waiters.removeFirst().waiter
        }
        return waiter ?? nil
    }

    // MARK: Writes and sweeps

    /// Begins a write of some keys. One that occurs twice counts as written by two.
    mutating func beginWrite(_ keys: [CacheKey]) {
        for key in keys {
            let begin = { (traffic: inout Traffic, isSwept: Bool) in
                traffic.detach()
                traffic.writes += 1
                if isSwept || traffic.writes > 1 { traffic.isOverlapped = true }
            }
            begin(&traffic[key, default: Traffic()], sweeps > 0)
        }
    }

    /// Whether what a write has stored below may be kept above.
    func mayKeep(_ key: CacheKey) -> Bool {
        guard let traffic = traffic[key] else { return false }
        return traffic.writes == 1 && !traffic.isOverlapped
    }

    /// Whether a write of a key or a sweep is under way.
    func isChanging(_ key: CacheKey) -> Bool {
        sweeps > 0 || (traffic[key]?.writes ?? 0) > 0
    }

    /// Ends a write of some keys.
    mutating func endWrite(_ keys: [CacheKey]) {
        for key in keys {
            traffic[key]?.detach()
            traffic[key]?.writes -= 1
            if traffic[key]?.writes == 0 { traffic[key]?.isOverlapped = false }
            clear(key)
        }
    }

    /// Begins a change of keys that nobody knows in advance.
    mutating func beginSweep() {
        sweeps += 1
        taint()
    }

    /// Ends such a change.
    mutating func endSweep() {
        sweeps -= 1
        taint()
    }

    /// Everything that is under way may have seen what was before, and may not leave it above.
    private mutating func taint() {
        for key in traffic.keys {
            traffic[key]?.detach()
            if let writes = traffic[key]?.writes, writes > 0 { traffic[key]?.isOverlapped = true }
        }
    }
}
