import Synchronization
import TangoCache

/// The progress that a store has reported.
final class ProgressRecord: Sendable {
    private let steps = Mutex<[CacheProgress]>([])

    var all: [CacheProgress] { steps.withLock { $0 } }

    func note(_ progress: CacheProgress) {
        steps.withLock { $0.append(progress) }
    }
}
