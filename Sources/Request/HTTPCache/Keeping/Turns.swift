import Synchronization
import TangoCache

/// Has those who change the entry of one key do so one after the other, in the process.
///
/// An entry is read, changed and written: two who did that at once would lose what one of them wrote. Between processes
/// that can happen, and costs an answer that could have been kept.
final class Turns: Sendable {
    static let shared = Turns()

    private let waiting = Mutex<[CacheKey: [CheckedContinuation<Void, Never>]]>([:])

    func take(_ key: CacheKey) async {
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting in
                guard waiting[key] != nil else {
                    waiting[key] = []
                    return true
                }
                waiting[key]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    func leave(_ key: CacheKey) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            guard var queue = waiting[key], !queue.isEmpty else {
                waiting[key] = nil
                return nil
            }
            let next = queue.removeFirst()
            waiting[key] = queue
            return next
        }
        next?.resume()
    }
}
