import Synchronization

/// A thread that can be joined.
///
/// Foundation's threads cannot be joined, and a stopped server must have released its descriptors.
final class LoopThread: Sendable {
    /// A handle of the thread that any thread may use.
    private struct Handle: @unchecked Sendable {
        let thread: pthread_t
    }

    private final class Start {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        static func run(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            if let start { Unmanaged<Start>.fromOpaque(start).takeRetainedValue().body() }
            return nil
        }
    }

    private let handle: Handle?
    private let hasEnded = Mutex(false)

    init(_ body: @escaping @Sendable () -> Void) throws {
        let start = Unmanaged.passRetained(Start(body))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let code = pthread_create(&thread, nil, { Start.run($0) }, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw LoopbackServer.Failure(
                message: "Cannot start a thread: \(String(cString: strerror(code)))", code: code)
        }
        let started: pthread_t? = thread
        handle = started.map { Handle(thread: $0) }
    }

    /// Waits for the end of the thread. Returns at once on the thread itself, where it would wait forever.
    func join() {
        guard let thread = handle?.thread, pthread_equal(thread, pthread_self()) == 0 else { return }
        hasEnded.withLock { hasEnded in
            if !hasEnded { pthread_join(thread, nil) }
            hasEnded = true
        }
    }

    deinit {
        guard let thread = handle?.thread, !hasEnded.withLock({ $0 }) else { return }
        pthread_detach(thread)
    }
}
