import Dispatch

/// A check whether code runs on the main queue, which is where the main actor runs.
///
/// `Thread.isMainThread` is no such check: on Linux, any thread may serve the main queue of a test run.
enum MainQueue {
    private static let key = DispatchSpecificKey<Bool>()
    private static let mark: Void = DispatchQueue.main.setSpecific(key: key, value: true)

    static var isCurrent: Bool {
        _ = mark
        return DispatchQueue.getSpecific(key: key) != nil
    }
}
