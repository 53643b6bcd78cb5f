import Synchronization
import TangoCache

/// How far a store said it had come.
final class ProgressRecord: Sendable {
    private let steps = Mutex<[CacheProgress]>([])

    var all: [CacheProgress] { steps.withLock { $0 } }

    func note(_ progress: CacheProgress) {
        steps.withLock { $0.append(progress) }
    }
}
