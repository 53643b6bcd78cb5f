#if os(Linux)
    import Glibc

    /// SIGPIPE: the signal of a write to a connection that the peer has closed. It ends a process that does not handle
    /// it.
    package enum BrokenPipeSignal {
        /// Runs a closure on this thread and discards the signal if the closure raises it.
        package static func absorbed<Result: ~Copyable>(_ work: () -> Result) -> Result {
            var one = sigset_t()
            var before = sigset_t()
            var pending = sigset_t()
            sigemptyset(&one)
            sigaddset(&one, SIGPIPE)
            sigpending(&pending)
            pthread_sigmask(SIG_BLOCK, &one, &before)
            defer {
                // A signal that was pending before is left alone.
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
