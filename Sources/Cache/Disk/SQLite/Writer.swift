import Dispatch
import Synchronization

/// Makes all changes to the database, on one thread at a time. One transaction takes all changes that have come in
/// meanwhile.
final class Writer: Sendable {
    /// A change with the handler of its result.
    private struct Job: Sendable {
        let work: @Sendable (Transaction) throws -> Int
        let finish: @Sendable (Result<Int, any Error>) -> Void
    }

    private struct State {
        var backlog = Backlog<Job>()
        var isRunning = false
        var isClosed = false
    }

    /// The results of a transaction, to be passed on without holding a lock.
    private struct Results {
        var results: [(job: Job, result: Result<Int, any Error>)] = []
        var events: [CacheEvent] = []
    }

    private let state = Mutex(State())
    /// Locked while changes are taken and made.
    private let writing = Mutex(())
    private let connection: Connection
    private let seconds: @Sendable () -> Int

    /// - Parameter seconds: A monotonic clock, for tests.
    init(_ connection: Connection, seconds: @escaping @Sendable () -> Int = { CoarseClock.seconds }) {
        self.connection = connection
        self.seconds = seconds
    }

    /// Makes a change, and returns to the caller's actor when it is committed.
    nonisolated(nonsending) func perform(_ work: @escaping @Sendable (Transaction) throws -> Int) async throws -> Int {
        try await IO.result { finish in submit(work, finish: finish) }
    }

    /// Makes a change and passes on its result on any thread. The change may run several times.
    ///
    /// - Parameter bytes: The memory that the change needs while it waits.
    func submit(
        bytes: Int = 0, _ work: @escaping @Sendable (Transaction) throws -> Int,
        finish: @escaping @Sendable (Result<Int, any Error>) -> Void
    ) {
        if enqueue(Job(work: work, finish: finish), bytes) { IO.submit { self.drain() } }
    }

    /// Makes a change on a thread that may block. This thread does the work if no other is writing.
    func submitHere(
        _ work: @escaping @Sendable (Transaction) throws -> Int,
        finish: @escaping @Sendable (Result<Int, any Error>) -> Void
    ) {
        if enqueue(Job(work: work, finish: finish), 0) { drain() }
    }

    /// Rejects later changes, and makes those that came before.
    func close() {
        state.withLock { $0.isClosed = true }
        drain()
    }

    /// Adds a change. Returns true if the caller must provide a thread.
    private func enqueue(_ job: Job, _ bytes: Int) -> Bool {
        let now = seconds()
        let (refusal, needsThread) = state.withLock { state -> (CacheError?, Bool) in
            if state.isClosed { return (.closed, false) }
            guard state.backlog.add(job, bytes: bytes, now: now) else { return (.tooManyChanges, false) }
            defer { state.isRunning = true }
            return (nil, !state.isRunning)
        }
        if let refusal {
            // On another thread, because the caller may hold a lock.
            IO.submit { job.finish(.failure(refusal)) }
        }
        return needsThread
    }

    private func drain() {
        while true {
            // The clock is user code, and so are the handlers of the results.
            let now = connection.now
            guard let results = writing.withLock({ _ in runNext(now: now) }) else { return }
            for event in results.events { connection.report(event) }
            for (job, result) in results.results { job.finish(result) }
        }
    }

    private func runNext(now: Double) -> Results? {
        let jobs = state.withLock { state in
            let jobs = state.backlog.next(now: seconds())
            if jobs.isEmpty { state.isRunning = false }
            return jobs
        }
        return jobs.isEmpty ? nil : run(jobs, now: now)
    }

    private func run(_ jobs: [Job], now: Double) -> Results {
        var results = Results()
        do {
            var counts: [Int] = []
            try connection.transaction(now: now, &results.events) { transaction in
                counts = try jobs.map { job in try job.work(transaction) }
            }
            results.results = zip(jobs, counts).map { job, count in (job, .success(count)) }
        } catch let error where isBusy(error) {
            // A lock was held for too long. The later changes have waited for it too, and would wait as long again.
            let others = state.withLock { $0.backlog.takeAll() }
            results.results = (jobs + others).map { job in (job, .failure(error)) }
        } catch let error where jobs.count == 1 || isFull(error) {
            results.results = jobs.map { job in (job, .failure(error)) }
        } catch {
            // One of them always fails. Make each on its own to find out which.
            state.withLock { $0.backlog.retry(jobs) }
        }
        return results
    }

    private func isBusy(_ error: any Error) -> Bool {
        (error as? SQLiteFailure)?.isBusy == true || (error as? CacheError)?.code == .busy
    }

    private func isFull(_ error: any Error) -> Bool {
        (error as? SQLiteFailure)?.isFull == true || (error as? CacheError)?.code == .diskFull
    }
}

extension CacheError {
    fileprivate static var tooManyChanges: CacheError {
        CacheError(
            .busy, "Too many changes wait for the database, which another process has locked. Try again later.")
    }
}
