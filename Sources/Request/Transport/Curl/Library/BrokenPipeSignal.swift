#if os(Linux)
    import Glibc

    /// The signal that writing to a connection raises when the other side has gone, and that ends a process that is not
    /// prepared for it.
    package enum BrokenPipeSignal {
        /// Does some work on this thread, and takes away what it raises.
        package static func absorbed<Result: ~Copyable>(_ work: () -> Result) -> Result {
            var one = sigset_t()
            var before = sigset_t()
            var pending = sigset_t()
            sigemptyset(&one)
            sigaddset(&one, SIGPIPE)
            sigpending(&pending)
            pthread_sigmask(SIG_BLOCK, &one, &before)
            defer {
                // One that waited before is not ours.
                if sigismember(&pending, SIGPIPE) == 0 {
                    var now = timespec()
                    while sigtimedwait(&one, nil, &now) < 0, errno == EINTR {}
                }
                pthread_sigmask(SIG_SETMASK, &before, nil)
            }
            return work()
        }
    }
#endif
