#if os(Linux)
    import Glibc
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
#endif
