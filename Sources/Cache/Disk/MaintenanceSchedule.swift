import Synchronization
import TangoPlatform

/// A monotonic clock for periodic work.
enum CoarseClock {
    static var seconds: Int {
        #if canImport(Darwin)
            Int(clock_gettime_nsec_np(CLOCK_UPTIME_RAW_APPROX) / 1_000_000_000)
        #else
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
            return time.tv_sec
        #endif
    }
}

/// The schedule of the maintenance of an open store.
final class MaintenanceSchedule: Sendable {
    /// The interval of maintenance, in seconds.
    static let interval = 3600

    private let next: Atomic<Int>

    init(now: Int = CoarseClock.seconds) {
        next = Atomic(now + Self.interval)
    }

    /// Returns true to one caller when maintenance is due.
    @inline(__always)
    var isDue: Bool { isDue(at: CoarseClock.seconds) }

    func isDue(at now: Int) -> Bool {
        let due = next.load(ordering: .relaxed)
        guard now >= due else { return false }
        return next.compareExchange(expected: due, desired: now + Self.interval, ordering: .relaxed).exchanged
    }
}
