#if os(Linux)
    import Synchronization

    /// The time after a loop has closed all its connections, and those who wait for it.
    final class CurlAfterlife: Sendable {
        private struct State {
            var hasBegun = false
            var waiters: [UnsafeContinuation<Void, Never>] = []
        }

        private let state = Mutex(State())

        func begin() {
            let waiters = state.withLock { state in
                state.hasBegun = true
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
        }

        func wait() async {
            await withUnsafeContinuation { continuation in
                let hasBegun = state.withLock { state in
                    if !state.hasBegun { state.waiters.append(continuation) }
                    return state.hasBegun
                }
                if hasBegun { continuation.resume() }
            }
        }
    }
#endif
