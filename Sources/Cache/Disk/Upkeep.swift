import Synchronization

/// When a store that stays open has to be put in order again.
final class Upkeep: Sendable {
    /// How long maintenance can wait, in seconds.
    static let interval = 3600

    private let next: Atomic<Int>

    init(now: Int = CoarseClock.seconds) {
        next = Atomic(now + Self.interval)
    }

    /// True for one caller, once the time has come.
    @inline(__always)
    var isDue: Bool { isDue(at: CoarseClock.seconds) }

    func isDue(at now: Int) -> Bool {
        let due = next.load(ordering: .relaxed)
        guard now >= due else { return false }
        return next.compareExchange(expected: due, desired: now + Self.interval, ordering: .relaxed).exchanged
    }
}
