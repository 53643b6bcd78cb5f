import Synchronization

/// Creates tokens and counts those that are alive.
///
/// A thread releases a handler a moment after its promise has settled, so tests wait for the end.
final class Lifetimes: Sendable {
    /// An object for a value to hold or a handler to capture.
    final class Token: Sendable {
        private let lifetimes: Lifetimes

        fileprivate init(_ lifetimes: Lifetimes) {
            self.lifetimes = lifetimes
        }

        deinit {
            lifetimes.tokenEnded()
        }
    }

    private struct State {
        var made = 0
        var ended = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func token() -> Token {
        state.withLock { $0.made += 1 }
        return Token(self)
    }

    var made: Int { state.withLock { $0.made } }
    var ended: Int { state.withLock { $0.ended } }
    var alive: Int { state.withLock { $0.made - $0.ended } }

    /// Returns once every token is released.
    func allEnded() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.ended == state.made { return true }
                state.waiting.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    private func tokenEnded() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.ended += 1
            guard state.ended == state.made else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
