/// The decision when single keys are read, and which of them together. A plain value.
struct ReadQueue<Waiter> {
    /// The number of keys that are read together.
    static var limit: Int { 256 }
    /// The number of reads in flight.
    static var readsInFlight: Int { 4 }
    /// As many keys are sent although a read is in flight.
    static var many: Int { 64 }
    /// After this time, keys are sent although a read is in flight: the server is far away or slow.
    static var pause: Duration { .microseconds(100) }

    private var waiting: [Waiter] = []
    private var inFlight = 0
    private var lastSent = MonotonicTime(nanoseconds: 0)

    mutating func add(_ waiter: Waiter) {
        waiting.append(waiter)
    }

    /// Takes the keys to read next, or none if they should wait for the end of a read or for more keys.
    ///
    /// - Parameters:
    ///   - ended: The number of reads that have ended.
    ///   - now: The time, which is only computed if it matters.
    mutating func next(after ended: Int = 0, now: @autoclosure () -> MonotonicTime) -> [Waiter] {
        inFlight -= ended
        guard !waiting.isEmpty, inFlight < Self.readsInFlight else { return [] }
        let now = now()
        guard inFlight == 0 || waiting.count >= Self.many || now >= lastSent + Self.pause else { return [] }
        inFlight += 1
        lastSent = now
        var batch: [Waiter] = []
        if waiting.count <= Self.limit {
            swap(&batch, &waiting)
        } else {
            batch = Array(waiting.prefix(Self.limit))
            waiting.removeFirst(Self.limit)
        }
        return batch
    }
}
