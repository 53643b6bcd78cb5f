/// The changes that wait to be written, in order: a plain value, for a lock to guard.
///
/// It has a bound, but only while the writer is stuck, such as behind the lock of another process: what waits then would
/// grow for as long as the lock is held. A writer that goes on takes as many changes as there are callers.
struct Backlog<Job> {
    /// A transaction takes so many changes at most.
    static var batch: Int { 256 }

    /// So many changes, and so many bytes, wait at most for a writer that is stuck.
    static var limit: (count: Int, bytes: Int) { (1_024, 16 << 20) }

    /// A writer is stuck when one transaction has taken so many seconds.
    static var patience: Int { 2 }

    private var jobs: [(job: Job, bytes: Int)] = []
    private var bytes = 0

    /// How many of the first changes are made each in a transaction of its own.
    private var alone = 0

    /// When the transaction began that the writer is at, in seconds; nil if it is idle.
    private var began: Int?

    var count: Int { jobs.count }

    /// Adds a change of so many bytes. False if too much waits for a writer that is stuck.
    mutating func add(_ job: Job, bytes size: Int, now: Int) -> Bool {
        if let began, now - began >= Self.patience {
            guard jobs.count < Self.limit.count, bytes + size <= Self.limit.bytes else { return false }
        }
        jobs.append((job, size))
        bytes += size
        return true
    }

    /// Takes the changes for the next transaction: none if nothing waits.
    mutating func next(now: Int) -> [Job] {
        guard !jobs.isEmpty else {
            began = nil
            return []
        }
        began = now
        guard alone > 0 else { return take(Self.batch) }
        alone -= 1
        return take(1)
    }

    /// Puts changes back that failed together, to be made one by one: one of them cannot be made.
    mutating func retry(_ failed: [Job]) {
        jobs.insert(contentsOf: failed.map { ($0, 0) }, at: 0)
        alone += failed.count
    }

    /// Takes all that waits.
    mutating func takeAll() -> [Job] {
        alone = 0
        return take(jobs.count)
    }

    private mutating func take(_ count: Int) -> [Job] {
        let taken = jobs.prefix(count)
        if taken.count == jobs.count {
            jobs = []
            bytes = 0
        } else {
            bytes -= taken.reduce(0) { $0 + $1.bytes }
            jobs.removeFirst(taken.count)
        }
        return taken.map(\.job)
    }
}
