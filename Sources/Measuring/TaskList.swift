import Synchronization

/// Tasks that can be awaited together.
final class TaskList: Sendable {
    private let tasks = Mutex<[Task<Void, Never>]>([])

    var all: [Task<Void, Never>] { tasks.withLock { $0 } }

    func add(_ task: Task<Void, Never>) {
        tasks.withLock { $0.append(task) }
    }
}
