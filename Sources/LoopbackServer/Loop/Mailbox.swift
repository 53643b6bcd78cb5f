import Synchronization

/// The jobs that other threads post to the loop.
final class Mailbox: Sendable {
    typealias Job = @Sendable (Loop) -> Void

    private struct State {
        var jobs: [Job] = []
        /// Nil once the loop has ended. Jobs are then dropped.
        var wakeup: Wakeup?
    }

    private let state: Mutex<State>

    init(_ wakeup: Wakeup) {
        state = Mutex(State(wakeup: wakeup))
    }

    func post(_ job: @escaping Job) {
        state.withLock { state in
            guard let wakeup = state.wakeup else { return }
            state.jobs.append(job)
            if state.jobs.count == 1 { wakeup.wake() }
        }
    }

    func take() -> [Job] {
        state.withLock { state in
            defer { state.jobs.removeAll() }
            return state.jobs
        }
    }

    /// Releases the descriptors. Gates and tasks may outlive the server; their jobs are dropped.
    func close() {
        let jobs = state.withLock { state in
            state.wakeup = nil
            defer { state.jobs = [] }
            return state.jobs
        }
        withExtendedLifetime(jobs) {}
    }
}
