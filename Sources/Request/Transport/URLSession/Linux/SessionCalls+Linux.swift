#if os(Linux) && URLSessionOnLinux
    import Foundation

    /// Where a session on Linux tells its delegate, one call after the other.
    ///
    /// It has a thread whenever it needs one: the usual queue takes its threads from a pool, and while others keep those
    /// waiting, all that is received piles up. A call may wait for the thread of all sessions, so that this one waits for its
    /// calls only for a moment: they are slowed down where calls are slower than the server, and never stopped.
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
