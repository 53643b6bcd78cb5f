/// The changes that wait to be written, in order. A plain value, guarded by a lock.
///
/// Its size is limited only while the writer is stuck, for example behind the lock of another process. Otherwise it
/// would grow until the lock is released. A writer that makes progress accepts the changes of all callers.
struct Backlog<Job> {
    /// The highest number of changes in one transaction.
    static var batch: Int { 256 }

    /// The highest number of changes, and of their bytes, that wait for a stuck writer.
    static var limit: (count: Int, bytes: Int) { (1_024, 16 << 20) }

    /// The time after which one transaction counts as stuck, in seconds.
    static var longestTransaction: Int { 2 }

    private var jobs: [(job: Job, bytes: Int)] = []
    private var bytes = 0

    /// The number of changes at the front that each get a transaction of their own.
    private var alone = 0

    /// The time at which the current transaction began, in seconds; nil if the writer is idle.
    private var began: Int?

    var count: Int { jobs.count }

    /// Adds a change with its size. Returns false if the writer is stuck and too many changes wait.
    mutating func add(_ job: Job, bytes size: Int, now: Int) -> Bool {
        if let began, now - began >= Self.longestTransaction {
            guard jobs.count < Self.limit.count, bytes + size <= Self.limit.bytes else { return false }
        }
        jobs.append((job, size))
        bytes += size
        return true
    }

    /// Removes and returns the changes for the next transaction; none if no change waits.
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

    /// Returns failed changes to the front, each for a transaction of its own, because one of them always fails.
    mutating func retry(_ failed: [Job]) {
        jobs.insert(contentsOf: failed.map { ($0, 0) }, at: 0)
        alone += failed.count
    }

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
