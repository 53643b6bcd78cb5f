import Synchronization

/// How many are still to come, counted down by many threads at once.
///
/// A single number would be fought over: with each count its cache line would have to come from another core. So a large
/// number is dealt out in parts, each on a line of its own, and only a part that has run out counts in the whole.
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

    /// Counts number `index`, each once; true for whoever comes last.
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
