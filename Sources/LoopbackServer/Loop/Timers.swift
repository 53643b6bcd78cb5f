/// Closures to run at given times. A server has few of them, so a sorted list does.
struct Timers {
    /// The entries, the latest first. Of those with the same time, the newest comes first.
    private var entries: [(time: ContinuousClock.Instant, body: () -> Void)] = []

    mutating func add(at time: ContinuousClock.Instant, _ body: @escaping () -> Void) {
        var range = 0..<entries.count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = entries[middle].time > time ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        entries.insert((time, body), at: range.lowerBound)
    }

    /// The time until the first closure, in milliseconds, rounded up; -1 if there is none.
    var wait: Int32 {
        guard let first = entries.last else { return -1 }
        let left = first.time - ContinuousClock.now
        guard left > .zero else { return 0 }
        return Int32(min(1_000_000_000, (left / .milliseconds(1)).rounded(.up)))
    }

    /// Removes and returns the first closure whose time has come, if any.
    mutating func due(_ now: ContinuousClock.Instant) -> (() -> Void)? {
        guard let first = entries.last, first.time <= now else { return nil }
        return entries.removeLast().body
    }

    mutating func removeAll() { entries = [] }
}
