import Foundation
import Synchronization
import TangoRequest

/// A body with predefined portions, which records reads and cancellation.
final class ScriptedBody: BodySource {
    private struct State {
        var rest: ArraySlice<String>
        var fetched = 0
        var isCancelled = false
        var hasEnded = false
    }

    private let state: Mutex<State>
    private let error: (any Error)?
    private let length: Int

    init(_ portions: [String], error: (any Error)? = nil) {
        state = Mutex(State(rest: portions[...]))
        self.error = error
        length = portions.reduce(0) { $0 + $1.utf8.count }
    }

    var fetched: Int { state.withLock { $0.fetched } }
    /// A Boolean value that indicates whether the body was cancelled before its end.
    var isCancelled: Bool { state.withLock { $0.isCancelled && !$0.hasEnded } }

    func next() async throws -> Data? {
        let portion = state.withLock { state -> String? in
            let portion = state.rest.popFirst()
            if portion != nil { state.fetched += 1 } else if error == nil { state.hasEnded = true }
            return portion
        }
        if portion == nil, let error { throw error }
        return portion.map { Data($0.utf8) }
    }

    func cancel() {
        state.withLock { $0.isCancelled = true }
    }

    var ending: BodyStream.Ending? {
        guard state.withLock({ $0.hasEnded }) else { return nil }
        var metrics = AttemptMetrics()
        metrics.bodyBytesReceived = length
        return BodyStream.Ending(trailers: ["Digest": "x"], metrics: metrics)
    }
}
