import Synchronization

/// Resumes the tasks that wait until all connections are closed.
package final class ClosingSignal: Sendable {
    private struct State: ~Copyable {
        var isClosed = false
        var waiters: [UnsafeContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    package func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    package func wait() async {
        await withUnsafeContinuation { continuation in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.waiters.append(continuation) }
                return state.isClosed
            }
            if isClosed { continuation.resume() }
        }
    }
}
