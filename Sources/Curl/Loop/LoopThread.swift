#if os(Linux)
    import Glibc
    import Synchronization
    import TangoCLinux

    /// A thread that runs one closure and receives no signals of the process.
    enum LoopThread {
        /// The signals that a thread raises itself, and the signal of profilers. They stay unblocked, because a blocked
        /// fault ends the process at once, without calling handlers that print a backtrace.
        private static let unblocked = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS, SIGPROF]

        private final class Work {
            let run: @Sendable () -> Void

            init(_ run: @escaping @Sendable () -> Void) {
                self.run = run
            }
        }

        /// Starts a thread. Returns false if the system cannot create one.
        static func start(_ name: String, _ run: @escaping @Sendable () -> Void) -> Bool {
            var all = sigset_t()
            var before = sigset_t()
            sigfillset(&all)
            for signal in unblocked { sigdelset(&all, signal) }
            // A thread inherits the signal mask of the thread that starts it.
            pthread_sigmask(SIG_SETMASK, &all, &before)
            defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
            var attributes = pthread_attr_t()
            pthread_attr_init(&attributes)
            defer { pthread_attr_destroy(&attributes) }
            pthread_attr_setstacksize(&attributes, 1 << 20)
            pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
            let work = Unmanaged.passRetained(Work(run))
            var thread = pthread_t()
            let code = pthread_create(
                &thread, &attributes,
                { context in
                    guard let context else { return nil }
                    Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
                    return nil
                }, work.toOpaque())
            guard code == 0 else {
                work.release()
                return false
            }
            tango_name_thread(thread, name)
            return true
        }
    }

    /// The end of the process, during which no thread of Tango may run inside libcurl.
    ///
    /// `exit` runs the handlers that libraries have registered, such as the clean-up of OpenSSL. Other threads continue
    /// meanwhile, so a thread within a handshake would use freed memory. Therefore every loop is stopped first. The
    /// handler is registered after libcurl and OpenSSL are initialised, because handlers run in reverse order.
    package enum ProcessExit {
        private struct Member {
            weak var loop: CurlLoop?
        }

        private static let members = Mutex<[ObjectIdentifier: Member]>([:])
        private static let state = Atomic<Int>(0)
        private static let running = 0, begun = 1, stopped = 2

        /// The longest time that `exit` waits for a busy loop. One call of libcurl takes a fraction of it.
        private static let longestWait: Int64 = 10_000_000_000

        /// Registers the exit handler, once.
        private static let isPrepared: Bool = {
            processAtStart.store(getpid(), ordering: .relaxed)
            return atexit { ProcessExit.stopLoops() } == 0
        }()

        private static let processAtStart = Atomic<Int32>(0)

        /// A Boolean value that indicates whether the process is ending. libcurl must not be called then.
        static var hasBegun: Bool { state.load(ordering: .relaxed) != running }

        /// A Boolean value that indicates whether every loop was stopped in time; nil unless the process is ending.
        package static var hasStoppedLoops: Bool? {
            switch state.load(ordering: .acquiring) {
            case running: nil
            default: state.load(ordering: .acquiring) == stopped
            }
        }

        /// Stops a loop at the end of the process. libcurl must have been initialised.
        static func watch(_ loop: CurlLoop) {
            _ = isPrepared
            members.withLock { $0[ObjectIdentifier(loop)] = Member(loop: loop) }
        }

        static func forget(_ loop: CurlLoop) {
            members.withLock { $0[ObjectIdentifier(loop)] = nil }
        }

        /// Blocks until the process has ended.
        static func park() -> Never {
            while true { pause() }
        }

        private static func stopLoops() {
            // A forked child has none of the threads.
            guard getpid() == processAtStart.load(ordering: .relaxed) else { return }
            state.store(begun, ordering: .sequentiallyConsistent)
            let end = MonotonicTime.now() + longestWait
            // The thread that called `exit` may have been interrupted while it held the lock.
            guard var loops = wait(until: end, for: { members.withLockIfAvailable { $0.values.compactMap(\.loop) } })
            else { return }
            loops.removeAll { loop in wait(until: end) { loop.isAtRest ? true : nil } ?? false }
            if loops.isEmpty { state.store(stopped, ordering: .releasing) }
        }

        /// Polls until there is a value or the time is over. Returns nil if it is over.
        private static func wait<Result>(until end: Int64, for result: () -> Result?) -> Result? {
            while true {
                if let result = result() { return result }
                guard MonotonicTime.now() < end else { return nil }
                var moment = timespec(tv_sec: 0, tv_nsec: 100_000)
                nanosleep(&moment, nil)
            }
        }
    }
#endif
