import Dispatch

/// The threads on which downloads write. They may block, unlike those of Swift's tasks.
final class DiskExecutor: TaskExecutor {
    static let shared = DiskExecutor()

    private let queue = DispatchQueue(label: "tango.downloads", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
