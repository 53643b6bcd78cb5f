import Dispatch
import Synchronization

/// The place where handlers run.
///
/// A promise has a scheduler, which its links inherit unless `on:` gives them another. Handlers of one promise on one
/// scheduler run in the order in which they were attached and never overlap, on concurrent schedulers too.
///
/// ```swift
/// let text = Promise.fulfilled("some words", on: .queue(DispatchQueue(label: "parsing")))
/// text.next { $0.count }.next(on: .main) { print("\($0) characters") }
/// ```
///
/// Handlers that become ready on one scheduler run in one pass, so a chain costs one hop however long it is. A pass
/// yields to other work after a thousand handlers.
///
/// A handler must not block until another promise settles; it returns that promise. Handlers that it makes ready on its
/// own scheduler run after it.
public struct Scheduler: Sendable {
    enum Target {
        case immediate
        case background
        case main
        case lane(Lane)
    }

    let target: Target

    init(_ target: Target) {
        self.target = target
    }

    /// The threads of Dispatch's global queue, as many as there are cores. The default.
    public static let background = Scheduler(.background)

    /// The thread that settles the promise or attaches the handler, inside that call.
    ///
    /// This scheduler is the one exception to the rule that a handler never runs inside the call that makes it ready.
    /// Inside another handler, it runs after that handler and all that are ready there, so that long chains do not
    /// overflow the stack. If several threads attach handlers to a settled promise, these may overlap.
    public static let immediate = Scheduler(.immediate)

    /// Creates a scheduler for a queue of your own. Handlers run one at a time, even if the queue is concurrent. The
    /// same queue always gives the same scheduler.
    public static func queue(_ queue: DispatchQueue) -> Scheduler {
        isMain(queue) ? Scheduler(.main) : Scheduler(.lane(.serving(queue)))
    }

    /// The main queue when accessed on it, the `OperationQueue` of an operation once the process has a client, otherwise
    /// ``background``.
    ///
    /// To return to the current actor, use ``current(isolation:)``.
    public static var current: Scheduler {
        isOnMainQueue ? Scheduler(.main) : foreign.withLock(\.find)?() ?? .background
    }

    /// Finds the scheduler of the current thread that a module above this one knows.
    package static func find(_ foreign: @escaping @Sendable () -> Scheduler?) {
        Self.foreign.withLock { $0.find = foreign }
    }

    /// Wraps the closure, which would get another layer at each access if it were the whole value of the mutex.
    private struct Foreign {
        var find: (@Sendable () -> Scheduler?)?
    }

    private static let foreign = Mutex(Foreign())

    /// Returns the main queue when called on it, otherwise the caller's actor, otherwise ``background``.
    ///
    /// The scheduler does not retain the actor. Once the actor is released, handlers run in the background.
    public static func current(isolation: isolated (any Actor)? = #isolation) -> Scheduler {
        guard !isOnMainQueue, let isolation else { return .current }
        return Scheduler { [weak isolation] work in
            guard let isolation else { return DispatchQueue.global().async(execute: work) }
            Task { await run(work, on: isolation) }
        }
    }

    /// Creates a scheduler of your own. `run` must call each closure that it receives once, later, on a thread of its
    /// choice.
    ///
    /// `run` receives one closure at a time, which runs all handlers that are ready; they never overlap. A closure that
    /// is released without a call runs in the background, so that no handler is lost.
    public init(_ run: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void) {
        target = .lane(Lane(submit: run))
    }

    private static func run(_ work: @Sendable () -> Void, on actor: isolated any Actor) async {
        work()
    }

    package static var isOnMainQueue: Bool {
        _ = mainQueueMark
        return DispatchQueue.getSpecific(key: mainQueueKey) != nil
    }

    /// Identifies the main queue by a mark, because on Linux each access to `DispatchQueue.main` creates another
    /// object.
    private static func isMain(_ queue: DispatchQueue) -> Bool {
        _ = mainQueueMark
        return queue.getSpecific(key: mainQueueKey) != nil
    }

    private static let mainQueueKey = DispatchSpecificKey<Bool>()
    private static let mainQueueMark: Void = DispatchQueue.main.setSpecific(key: mainQueueKey, value: true)
}

/// The main actor, for handlers that touch its state: `.next(on: .main) { self.title = $0 }`.
public struct MainScheduler: Sendable {
    /// The only instance.
    public static let main = MainScheduler()

    @usableFromInline var scheduler: Scheduler { Scheduler(.main) }
}

/// A task of its own for each handler, for handlers that await: `.next(on: .task) { try await store.save($0) }`.
///
/// Cancelling the link cancels the task. Later links run on the scheduler of the links before it.
public struct TaskScheduler: Sendable {
    /// The only instance.
    public static let task = TaskScheduler()
}
