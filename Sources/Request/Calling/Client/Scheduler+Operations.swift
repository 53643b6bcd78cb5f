import Foundation

extension Scheduler {
    /// An operation queue. Handlers on it run one at a time, as one operation for all that are ready.
    public static func operations(_ queue: OperationQueue) -> Scheduler {
        Scheduler { work in queue.addOperation(work) }
    }

    /// Lets ``current`` find the queue of an operation. It needs Foundation, which promises alone do not.
    static let findsOperationQueues: Void = find { OperationQueue.current.map(operations) }
}
