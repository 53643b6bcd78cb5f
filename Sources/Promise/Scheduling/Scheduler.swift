import Dispatch

/// Where handlers run.
///
/// A promise carries a scheduler; its links inherit it unless they are given one with `on:`. Handlers of one promise on
/// one scheduler run in the order in which they were attached and never overlap, on concurrent schedulers too.
///
/// ```swift
/// let text = Promise.fulfilled("some words", on: .queue(DispatchQueue(label: "parsing")))
/// text.next { $0.count }.next(on: .main) { print("\($0) characters") }
/// ```
///
/// Handlers that become ready on one scheduler run in one pass, so a chain costs one hop however long it is. A pass gives
/// way to others after a thousand handlers.
///
/// A handler must not block until another promise settles: return that promise instead. What a handler makes ready for its
/// own scheduler runs after it.
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

    /// Threads of Dispatch's global queue, as many as there are cores. The default.
    public static let background = Scheduler(.background)

    /// The thread that settles the promise or attaches the handler, inside that very call.
    ///
    /// This is the one exception to the rule that a handler never runs inside the call that makes it ready. Inside
    /// another handler it runs after that one and what is ready there already, so that no chain is too long for the stack. Handlers of one
    /// promise that several threads attach after it has settled may overlap.
    public static let immediate = Scheduler(.immediate)

    /// A queue of your own. Handlers on it run one at a time, even where the queue is concurrent; asking again for the same
    /// queue gives the same scheduler.
    public static func queue(_ queue: DispatchQueue) -> Scheduler {
        isMain(queue) ? Scheduler(.main) : Scheduler(.lane(.serving(queue)))
    }

    /// The main queue when called on it, else ``background``.
    ///
    /// To come back to the actor that asks, call it: ``current(isolation:)``.
    public static var current: Scheduler {
        isOnMainQueue ? Scheduler(.main) : .background
    }

    /// The main queue when called on it, else the caller's actor, else ``background``.
    public static func current(isolation: isolated (any Actor)? = #isolation) -> Scheduler {
        guard !isOnMainQueue, let isolation else { return .current }
        return Scheduler { work in
            Task { await run(work, on: isolation) }
        }
    }

    /// A scheduler of your own: `run` must call each closure it is given once, later, on a thread of its choice.
    ///
    /// It is given one closure at a time, which runs all handlers that are ready; they never overlap. A closure that is
    /// released without having been called runs in the background instead, so that no handler is lost.
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

    /// By its mark, because on Linux each access to `DispatchQueue.main` makes another object.
    private static func isMain(_ queue: DispatchQueue) -> Bool {
        _ = mainQueueMark
        return queue.getSpecific(key: mainQueueKey) != nil
    }

    private static let mainQueueKey = DispatchSpecificKey<Bool>()
    private static let mainQueueMark: Void = DispatchQueue.main.setSpecific(key: mainQueueKey, value: true)
}

/// The main actor, for handlers that touch its state: `.next(on: .main) { self.title = $0 }`.
public struct MainScheduler: Sendable {
    /// The only one there is.
    public static let main = MainScheduler()

    @usableFromInline var scheduler: Scheduler { Scheduler(.main) }
}

/// A task of its own for each handler, for handlers that await: `.next(on: .task) { try await store.save($0) }`.
///
/// Cancelling the link cancels the task. The links after it run where those before it do.
public struct TaskScheduler: Sendable {
    /// The only one there is.
    public static let task = TaskScheduler()
}
