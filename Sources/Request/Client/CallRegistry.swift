import Synchronization

/// The calls of a client that are under way.
final class CallRegistry: Sendable {
    private struct State {
        var calls: [UInt64: CallCore] = [:]
        var isShutDown = false
        var emptyWaiters: [UnsafeContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    let activity = Broadcast(0, keepsAll: false)

    /// Whether a call may begin.
    func enter(_ call: CallCore) -> Bool {
        let count = state.withLock { state -> Int? in
            guard !state.isShutDown else { return nil }
            state.calls[call.id] = call
            return state.calls.count
        }
        guard let count else { return false }
        GlobalActivity.change(by: 1)
        if count == 1 { tellActivity() }
        return true
    }

    func leave(_ call: CallCore) {
        let (wasThere, waiters, isEmpty) = state.withLock { state in
            let wasThere = state.calls.removeValue(forKey: call.id) != nil
            guard state.calls.isEmpty else { return (wasThere, [UnsafeContinuation<Void, Never>](), false) }
            defer { state.emptyWaiters = [] }
            return (wasThere, state.emptyWaiters, true)
        }
        if wasThere { GlobalActivity.change(by: -1) }
        if isEmpty { tellActivity() }
        for waiter in waiters { waiter.resume() }
    }

    private func tellActivity() {
        activity.update { value in
            value = state.withLock { $0.calls.count }
            return true
        }
    }

    var all: [CallCore] {
        state.withLock { $0.calls.values.sorted { $0.id < $1.id } }
    }

    var count: Int { state.withLock { $0.calls.count } }

    func shutDown() -> [CallCore] {
        state.withLock { state in
            state.isShutDown = true
            return state.calls.values.sorted { $0.id < $1.id }
        }
    }

    /// Returns when no call is under way.
    func empty() async {
        await withUnsafeContinuation { continuation in
            let isEmpty = state.withLock { state in
                if !state.calls.isEmpty { state.emptyWaiters.append(continuation) }
                return state.calls.isEmpty
            }
            if isEmpty { continuation.resume() }
        }
    }
}
