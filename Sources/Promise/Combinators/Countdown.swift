import Synchronization

/// A countdown that many threads decrement at once.
///
/// With a single number, each decrement would fetch its cache line from another core. A large number is therefore split
/// into parts, each on a cache line of its own. Only a part that reaches zero decrements the total.
struct Countdown: ~Copyable, Sendable {
    private static let partCount = 32
    /// Numbers from one part to the next: two cache lines, as processors fetch them in pairs.
    private static let stride = 128 / MemoryLayout<Atomic<Int>>.stride
    private static let large = 1_000

    private let whole: Atomic<Int>
    // Unsafe: the memory is this struct's own from `init` to `deinit`, and holds nothing but atomics.
    private nonisolated(unsafe) let parts: UnsafeMutablePointer<Atomic<Int>>?

    init(_ count: Int) {
        guard count >= Countdown.large else {
            whole = Atomic(count)
            parts = nil
            return
        }
        whole = Atomic(Countdown.partCount)
        let parts = UnsafeMutablePointer<Atomic<Int>>.allocate(capacity: Countdown.partCount * Countdown.stride)
        for part in 0..<Countdown.partCount {
            let share = (count - part + Countdown.partCount - 1) / Countdown.partCount
            (parts + part * Countdown.stride).initialize(to: Atomic(share))
        }
        self.parts = parts
    }

    deinit {
        parts?.deallocate()
    }

    /// Counts number `index`; each number counts once. Returns true for the last one.
    func count(_ index: Int) -> Bool {
        if let parts, !parts[index % Countdown.partCount * Countdown.stride].countsToZero() { return false }
        return whole.countsToZero()
    }
}

extension Atomic<Int> {
    fileprivate func countsToZero() -> Bool {
        subtract(1, ordering: .acquiringAndReleasing).newValue == 0
    }
}
