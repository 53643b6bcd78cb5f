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

/// A pipe that wakes a waiting poller.
final class Wakeup: Sendable {
    let reading: Int32
    private let writing: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Socket.failure("open a pipe") }
        ends.forEach(Socket.prepare)
        reading = ends[0]
        writing = ends[1]
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Wakes the poller. If the pipe is full, the write fails, but the poller wakes as well.
    func wake() {
        var byte: UInt8 = 0
        _ = write(writing, &byte, 1)
    }

    func empty() {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            while read(reading, buffer.baseAddress, buffer.count) > 0 {}
        }
    }
}
