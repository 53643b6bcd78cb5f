import Dispatch
import Synchronization

/// Does everything that changes the database, on one thread at a time, in transactions of as many changes as have come
/// together meanwhile.
final class Writer: Sendable {
    /// A change, and what is done with its result.
    private struct Job: Sendable {
        let work: @Sendable (Transaction) throws -> Int
        let finish: @Sendable (Result<Int, any Error>) -> Void
    }

    private struct State {
        var backlog = Backlog<Job>()
        var isRunning = false
        var isClosed = false
    }

    /// The results of a transaction, to be passed on with nothing locked.
    private struct Round {
        var results: [(job: Job, result: Result<Int, any Error>)] = []
        var events: [CacheEvent] = []
    }

    private let state = Mutex(State())
    /// Held while changes are taken and made.
    private let turn = Mutex(())
    private let connection: Connection
    private let seconds: @Sendable () -> Int

    /// - Parameter seconds: Time that only goes forward, for tests.
    init(_ connection: Connection, seconds: @escaping @Sendable () -> Int = { CoarseClock.seconds }) {
        self.connection = connection
        self.seconds = seconds
    }

    /// Makes a change, and returns to the caller's actor when it is stored.
    nonisolated(nonsending) func perform(_ work: @escaping @Sendable (Transaction) throws -> Int) async throws -> Int {
        try await IO.result { finish in submit(work, finish: finish) }
    }

    /// Makes a change, and passes on its result on some thread. The change may be tried several times.
    ///
    /// - Parameter bytes: What the change keeps in memory while it waits.
    func submit(
        bytes: Int = 0, _ work: @escaping @Sendable (Transaction) throws -> Int,
        finish: @escaping @Sendable (Result<Int, any Error>) -> Void
    ) {
        if enqueue(Job(work: work, finish: finish), bytes) { IO.submit { self.drain() } }
    }

    /// The same, on a thread that may block: this one does the work if no other is at it.
    func submitHere(
        _ work: @escaping @Sendable (Transaction) throws -> Int,
        finish: @escaping @Sendable (Result<Int, any Error>) -> Void
    ) {
        if enqueue(Job(work: work, finish: finish), 0) { drain() }
    }

    /// Refuses what comes from now on, and does what has come before.
    func close() {
        state.withLock { $0.isClosed = true }
        drain()
    }

    /// True if the caller has to see to a thread.
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
            // The clock is the user's, and so are the closures that the results are passed to.
            let now = connection.now
            guard let round = turn.withLock({ _ in nextRound(now: now) }) else { return }
            for event in round.events { connection.report(event) }
            for (job, result) in round.results { job.finish(result) }
        }
    }

    /// Makes the next changes; nil if there are none.
    private func nextRound(now: Double) -> Round? {
        let jobs = state.withLock { state in
            let jobs = state.backlog.next(now: seconds())
            if jobs.isEmpty { state.isRunning = false }
            return jobs
        }
        return jobs.isEmpty ? nil : run(jobs, now: now)
    }

    private func run(_ jobs: [Job], now: Double) -> Round {
        var round = Round()
        do {
            let counts = try connection.transaction(now: now, &round.events) { transaction in
                try jobs.map { job in try job.work(transaction) }
            }
            round.results = zip(jobs, counts).map { job, count in (job, .success(count)) }
        } catch let error where isBusy(error) {
            // A lock was held for too long. What came meanwhile has waited for it too, and would wait as long again.
            let others = state.withLock { $0.backlog.takeAll() }
            round.results = (jobs + others).map { job in (job, .failure(error)) }
        } catch let error where jobs.count == 1 || isFull(error) {
            round.results = jobs.map { job in (job, .failure(error)) }
        } catch {
            // One of them cannot be made: each on its own, to find out which.
            state.withLock { $0.backlog.retry(jobs) }
        }
        return round
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
            .busy, "Too many changes wait for the database, which another process keeps locked: try again later.")
    }
}
