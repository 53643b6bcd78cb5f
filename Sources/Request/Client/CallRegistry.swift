import Synchronization

/// The calls of a client that are under way.
final class CallRegistry: Sendable {
    private struct State {
        var calls: [UInt64: CallCore] = [:]
        var bodies: [UInt64: Reference] = [:]
        var isShutDown = false
        var emptyWaiters: [UnsafeContinuation<Void, Never>] = []
    }

    private struct Reference {
        weak var body: OpenBody?
    }

    private let state = Mutex(State())
    /// Calls that have left, and whose promises and callbacks are being told.
    private let settling = Atomic<Int>(0)
    private let isClosing = Atomic<Bool>(false)
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
        let (wasThere, isEmpty) = state.withLock { state in
            settling.add(1, ordering: .relaxed)
            return (state.calls.removeValue(forKey: call.id) != nil, state.calls.isEmpty)
        }
        guard wasThere else { return }
        GlobalActivity.change(by: -1)
        if isEmpty { tellActivity() }
    }

    /// All who waited for a call that has left have been told.
    func settled() {
        let rest = settling.subtract(1, ordering: .sequentiallyConsistent).newValue
        guard rest == 0, isClosing.load(ordering: .sequentiallyConsistent) else { return }
        for waiter in takeWaiters() { waiter.resume() }
    }

    private func takeWaiters() -> [UnsafeContinuation<Void, Never>] {
        state.withLock { state in
            guard isEmpty(state) else { return [] }
            defer { state.emptyWaiters = [] }
            return state.emptyWaiters
        }
    }

    private func isEmpty(_ state: borrowing State) -> Bool {
        state.calls.isEmpty && settling.load(ordering: .sequentiallyConsistent) == 0
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

    // MARK: Bodies that outlive their calls

    func add(_ body: OpenBody) {
        let isShutDown = state.withLock { state in
            if !state.isShutDown { state.bodies[body.id] = Reference(body: body) }
            return state.isShutDown
        }
        if isShutDown { body.end(RequestError.shutDown) }
    }

    func remove(_ body: UInt64) {
        state.withLock { _ = $0.bodies.removeValue(forKey: body) }
    }

    /// Ends all that are under way.
    func endBodies(_ error: any Error) {
        let bodies = state.withLock { $0.bodies.values.compactMap(\.body) }
        for body in bodies { body.end(error) }
    }

    // MARK: The end

    func shutDown() -> [CallCore] {
        isClosing.store(true, ordering: .sequentiallyConsistent)
        return state.withLock { state in
            state.isShutDown = true
            return state.calls.values.sorted { $0.id < $1.id }
        }
    }

    /// Returns when no call is under way and all have settled, after ``shutDown()``.
    func empty() async {
        await withUnsafeContinuation { continuation in
            state.withLock { $0.emptyWaiters.append(continuation) }
            for waiter in takeWaiters() { waiter.resume() }
        }
    }
}

extension RequestError {
    static var shutDown: RequestError {
        RequestError(.shutDown, phase: .receive, detail: "the client was shut down")
    }
}
