import Dispatch
import Synchronization

/// Does everything that changes the database, on one thread at a time, in transactions of as many changes as have come
/// together meanwhile.
final class Writer: Sendable {
    /// A change, and whom to tell how it went.
    private struct Job: Sendable {
        let work: @Sendable (Transaction) throws -> Int
        let finish: @Sendable (Result<Int, any Error>) -> Void
    }

    private struct State {
        var jobs: [Job] = []
        var isRunning = false
        var isClosed = false
    }

    /// More are left to the next transaction.
    private static let most = 256

    private let state = Mutex(State())
    /// Held by whoever has taken changes and is making them.
    private let turn = Mutex(())
    private let connection: Connection

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Makes a change, and returns to the caller's actor when it is kept.
    nonisolated(nonsending) func perform(_ work: @escaping @Sendable (Transaction) throws -> Int) async throws -> Int {
        try await IO.result { finish in submit(work, finish: finish) }
    }

    /// Makes a change, and tells on some thread how it went. The change may be tried several times.
    func submit(
        _ work: @escaping @Sendable (Transaction) throws -> Int,
        finish: @escaping @Sendable (Result<Int, any Error>) -> Void
    ) {
        if enqueue(Job(work: work, finish: finish)) { IO.submit { self.drain() } }
    }

    /// The same, on a thread that may block: this one does the work if nobody is at it.
    func submitHere(
        _ work: @escaping @Sendable (Transaction) throws -> Int,
        finish: @escaping @Sendable (Result<Int, any Error>) -> Void
    ) {
        if enqueue(Job(work: work, finish: finish)) { drain() }
    }

    /// Refuses what comes from now on, and does what has come before.
    func close() {
        state.withLock { $0.isClosed = true }
        drain()
    }

    /// True if the caller has to see to a thread.
    private func enqueue(_ job: Job) -> Bool {
        let (isAccepted, needsThread) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.jobs.append(job)
            defer { state.isRunning = true }
            return (true, !state.isRunning)
        }
        if !isAccepted { job.finish(.failure(CacheError.closed)) }
        return needsThread
    }

    private func drain() {
        while let results = turn.withLock({ _ in nextJobs().map(run) }) {
            for (job, result) in results { job.finish(result) }
        }
    }

    private func nextJobs() -> ArraySlice<Job>? {
        state.withLock { state in
            guard !state.jobs.isEmpty else {
                state.isRunning = false
                return nil
            }
            let next = state.jobs.prefix(Self.most)
            if next.count == state.jobs.count {
                state.jobs = []
            } else {
                state.jobs.removeFirst(next.count)
            }
            return next
        }
    }

    private func run(_ jobs: ArraySlice<Job>) -> [(Job, Result<Int, any Error>)] {
        do {
            let counts = try connection.transaction { transaction in
                try jobs.map { job in try job.work(transaction) }
            }
            return zip(jobs, counts).map { job, count in (job, .success(count)) }
        } catch let error where jobs.count == 1 || isBusy(error) {
            // Where a lock is held for too long, each of them would wait as long again.
            return jobs.map { job in (job, .failure(error)) }
        } catch {
            // One of them cannot be done: each on its own, to find out which.
            return jobs.flatMap { job in run([job]) }
        }
    }

    private func isBusy(_ error: any Error) -> Bool {
        (error as? SQLiteFailure)?.isBusy == true || (error as? CacheError)?.code == .busy
    }
}
