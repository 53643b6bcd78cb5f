import Synchronization
import TangoCache

/// Receives the replies to commands that were submitted together. The thread of the loop calls it.
protocol Receiver: AnyObject, Sendable {
    /// Receives the next reply.
    func receive(_ parser: borrowing ReplyParser)

    /// Is called once: after the last reply, or with the reason for which there are no more.
    func finish(_ failure: CacheError?)
}

/// Copies the replies for a task.
final class Exchange: Receiver {
    private let replies = Mutex<[Reply]>([])
    private let continuation: CheckedContinuation<[Reply], any Error>

    init(_ continuation: CheckedContinuation<[Reply], any Error>) {
        self.continuation = continuation
    }

    func receive(_ parser: borrowing ReplyParser) {
        let reply = parser.reply
        replies.withLock { $0.append(reply) }
    }

    func finish(_ failure: CacheError?) {
        if let failure {
            continuation.resume(throwing: failure)
        } else {
            continuation.resume(returning: replies.withLock { $0 })
        }
    }
}
