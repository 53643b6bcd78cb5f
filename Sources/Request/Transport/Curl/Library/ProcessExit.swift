#if os(Linux)
    import Glibc
    import Synchronization

    /// The end of the process, at which no thread of ours may be inside libcurl.
    ///
    /// `exit` runs what libraries have registered to be done at the end, OpenSSL's clean-up among it, while all other threads go
    /// on: one that is in the middle of a handshake then works with memory that was freed. So every loop is stopped before.
    /// What is registered last is done first: after libcurl, and with it OpenSSL, has been initialised.
    package enum ProcessExit {
        private struct Member {
            weak var loop: CurlLoop?
        }

        private static let members = Mutex<[ObjectIdentifier: Member]>([:])
        private static let state = Atomic<Int>(0)
        private static let running = 0, begun = 1, stopped = 2

        /// How long the end of the process waits at most for a loop that is at work: one call of libcurl takes a fraction of it.
        private static let patience: Int64 = 10_000_000_000

        /// Registers the work at the end of the process, once.
        private static let isPrepared: Bool = {
            processAtStart.store(getpid(), ordering: .relaxed)
            return atexit { ProcessExit.stopLoops() } == 0
        }()

        private static let processAtStart = Atomic<Int32>(0)

        /// Whether the process is ending: nothing of libcurl's may be called any more.
        static var hasBegun: Bool { state.load(ordering: .relaxed) != running }

        /// Whether every loop was stopped in time; nil as long as the process is not ending.
        package static var hasStoppedLoops: Bool? {
            switch state.load(ordering: .acquiring) {
            case running: nil
            default: state.load(ordering: .acquiring) == stopped
            }
        }

        /// Has a loop stopped at the end of the process. libcurl must have been initialised.
        static func watch(_ loop: CurlLoop) {
            _ = isPrepared
            members.withLock { $0[ObjectIdentifier(loop)] = Member(loop: loop) }
        }

        static func forget(_ loop: CurlLoop) {
            members.withLock { $0[ObjectIdentifier(loop)] = nil }
        }

        /// Waits for the end of the process.
        static func park() -> Never {
            while true { pause() }
        }

        private static func stopLoops() {
            // A child that was forked has none of the threads.
            guard getpid() == processAtStart.load(ordering: .relaxed) else { return }
            state.store(begun, ordering: .sequentiallyConsistent)
            let end = MonotonicTime.now() + patience
            // Whoever ends the process may have been interrupted in here.
            guard var loops = wait(until: end, for: { members.withLockIfAvailable { $0.values.compactMap(\.loop) } })
            else { return }
            loops.removeAll { loop in wait(until: end) { loop.isAtRest ? true : nil } ?? false }
            if loops.isEmpty { state.store(stopped, ordering: .releasing) }
        }

        /// Asks again and again, until there is an answer or the time is over.
        private static func wait<Answer>(until end: Int64, for answer: () -> Answer?) -> Answer? {
            while true {
                if let answer = answer() { return answer }
                guard MonotonicTime.now() < end else { return nil }
                var moment = timespec(tv_sec: 0, tv_nsec: 100_000)
                nanosleep(&moment, nil)
            }
        }
    }
#endif
