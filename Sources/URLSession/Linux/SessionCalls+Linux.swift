#if os(Linux) && URLSessionOnLinux
    /// The serial queue on which a session on Linux calls its delegate.
    ///
    /// It gets a thread whenever it needs one. A plain operation queue takes threads from a pool, so received bytes
    /// accumulate while the pool is busy.
    ///
    /// A delegate call may wait for the single thread of all sessions. So that thread waits for the calls only briefly.
    /// It slows down if the calls are slower than the server, but it never stops.
    final class SessionCalls: OperationQueue, @unchecked Sendable {
        private let queue = DispatchQueue(label: "tango.urlsession.calls")
        private let room = DispatchSemaphore(value: 256)

        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            let hasRoom = room.wait(timeout: .now() + .milliseconds(10)) == .success
            queue.async { [room] in
                block()
                if hasRoom { room.signal() }
            }
        }
    }
#endif
