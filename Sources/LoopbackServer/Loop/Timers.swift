/// Closures to run at given times, the earliest first: a binary heap.
struct Timers {
    private struct Entry {
        let time: ContinuousClock.Instant
        /// Orders closures with the same time.
        let number: Int
        let body: () -> Void

        static func < (one: Entry, other: Entry) -> Bool {
            one.time == other.time ? one.number < other.number : one.time < other.time
        }
    }

    private var heap: [Entry] = []
    private var count = 0

    mutating func add(at time: ContinuousClock.Instant, _ body: @escaping () -> Void) {
        count += 1
        heap.append(Entry(time: time, number: count, body: body))
        var index = heap.count - 1
        while index > 0, heap[index] < heap[(index - 1) / 2] {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// The time until the first closure, in milliseconds, rounded up; -1 if there is none.
    var wait: Int32 {
        guard let first = heap.first else { return -1 }
        let left = first.time - ContinuousClock.now
        guard left > .zero else { return 0 }
        let (seconds, attoseconds) = left.components
        if seconds > 1_000_000 { return 1_000_000_000 }
        return Int32(seconds * 1000) + Int32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }

    /// Removes and returns the first closure whose time has come, if any.
    mutating func due(_ now: ContinuousClock.Instant) -> (() -> Void)? {
        guard let first = heap.first, first.time <= now else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first.body }
        heap[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            if least == index { break }
            heap.swapAt(index, least)
            index = least
        }
        return first.body
    }

    mutating func removeAll() { heap = [] }
}
