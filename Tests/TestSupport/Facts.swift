import Synchronization

@testable import TangoRequest

/// An ordered log of facts that tests read and wait for.
final class Facts: Sendable {
    private struct State {
        var all: [String] = []
        var number = 0
        var waiters: [Int: (condition: @Sendable ([String]) -> Bool, continuation: CheckedContinuation<Void, Never>)] =
            [:]
    }

    private let state = Mutex(State())

    var all: [String] { state.withLock(\.all) }
    var count: Int { state.withLock(\.all.count) }

    func note(_ fact: String) {
        let woken = state.withLock { state in
            state.all.append(fact)
            let woken = state.waiters.filter { $0.value.condition(state.all) }
            for number in woken.keys { state.waiters[number] = nil }
            return woken.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Waits until the log meets a condition, or until the test is cancelled, for example by its time limit.
    func reached(_ condition: @escaping @Sendable ([String]) -> Bool) async {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isWaiting = state.withLock { state in
                    if condition(state.all) || Task.isCancelled { return false }
                    state.waiters[number] = (condition, continuation)
                    return true
                }
                if !isWaiting { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number)?.continuation }?.resume()
        }
    }

    func reached(count: Int) async {
        await reached { $0.count >= count }
    }

    func reached(_ fact: String) async {
        await reached { $0.contains(fact) }
    }
}

extension CallEvent {
    /// A short text for the event.
    var word: String {
        switch kind {
        case .willStart: "willStart"
        case .sending: "sending"
        case .informational(let status, _): "informational \(status)"
        case .progress: "progress"
        case .response(let response): "response \(response.status)"
        case .following(let cause, _, _): "following \(cause)"
        case .waiting(let reason): "waiting \(reason)"
        case .cache(let activity): activity.word
        case .finished(let state, _): "finished \(state)"
        }
    }
}

extension CacheActivity {
    fileprivate var word: String {
        switch self {
        case .hit: "hit"
        case .miss(_, let reason): "miss \(reason)"
        case .refreshing: "refreshing"
        case .refreshed(_, .success(let response)): "refreshed \(response.status)"
        case .refreshed(_, .failure): "refresh failed"
        case .revalidated: "revalidated"
        case .stored: "stored"
        case .notStored(_, let reason): "not stored \(reason.rawValue)"
        case .evicted(_, let reason): "evicted \(reason)"
        case .failed: "failed"
        }
    }
}

extension Facts {
    /// An observer that records each event except progress, with a name as prefix.
    func observer(_ name: String = "") -> ClosureObserver {
        ClosureObserver { event in
            if case .progress = event.kind { return }
            self.note(name.isEmpty ? event.word : "\(name) \(event.word)")
        }
    }
}
