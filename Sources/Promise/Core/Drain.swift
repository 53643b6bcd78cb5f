#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One thread's pass over what has become ready.
///
/// Settling a promise hands its consumers over: links that only take over the outcome are settled on the spot, in a loop
/// and never by recursion; handlers go to the line of their scheduler. What is ready for the scheduler that this thread
/// is draining anyway (or for `.immediate`) runs in the same pass, so that a chain costs one hop however long it is.
struct Drain {
    /// The scheduler whose turn this is; none when a settling thread runs `.immediate` handlers.
    let place: Place
    /// Handlers that run here, next.
    var ready = Line<Ready>()
    /// Promises with handlers for the concurrent scheduler, while this thread is one of its workers.
    var busy = Line<Busy>()
    /// How many more handlers this pass may run before others get their turn.
    var budget: Int
    fileprivate var passing = Line<Ready>()
    fileprivate var isPassing = false
    fileprivate var lanesToStart: Lane?
    fileprivate var startsWorker = false

    enum Place {
        case nowhere
        case background
        case lane(Lane)
    }

    static let fullBudget = 1_000

    init(at place: Place) {
        self.place = place
        budget = Drain.fullBudget
    }

    // MARK: The thread's own

    static var current: UnsafeMutablePointer<Drain>? {
        pthread_getspecific(key)?.assumingMemoryBound(to: Drain.self)
    }

    /// Hands over inside `body`, in the pass that is under way on this thread or in one made for it.
    static func handingOver<Result>(_ body: (UnsafeMutablePointer<Drain>) -> Result) -> Result {
        if let current {
            let result = body(current)
            current.pass()
            return result
        }
        var drain = Drain(at: .nowhere)
        return withUnsafeMutablePointer(to: &drain) { drain in
            let result = body(drain)
            if drain.pointee.hasWork {
                occupy(with: drain) {
                    drain.pass()
                    drain.run()
                }
            }
            return result
        }
    }

    /// Makes `drain` the current pass of this thread while `body` runs.
    static func occupy(with drain: UnsafeMutablePointer<Drain>, _ body: () -> Void) {
        let previous = pthread_getspecific(key)
        pthread_setspecific(key, drain)
        body()
        pthread_setspecific(key, previous)
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let code = pthread_key_create(&key, nil)
        precondition(
            code == 0, "no thread-specific key left (\(code)): the process has used up all that the system allows")
        return key
    }()

    private var hasWork: Bool {
        !ready.isEmpty || !passing.isEmpty || lanesToStart != nil || startsWorker
    }

    // MARK: Handing over

    /// Takes charge of one consumer of `source`, which has settled and is locked. No code of the user's runs.
    ///
    /// - Parameter isLate: The consumer came after the promise had settled. It then queues behind all that waits at its
    ///   scheduler, where earlier consumers of the same promise may stand.
    mutating func accept(_ node: Node, of source: AnyPromise, isLate: Bool) {
        let (traits, target) = node._withUnsafeGuaranteedRef { ($0.traits, $0.scheduler.target) }
        if traits.contains(.inline) || !traits.want(source.phase) {
            passing.append(node)
            return
        }
        switch target {
        case .immediate:
            ready.append(node)
        case .background:
            source.consumers.append(node)
            enqueue(source)
        case .main:
            accept(node, on: Lane.main, isLate: isLate)
        case .lane(let lane):
            accept(node, on: lane, isLate: isLate)
        }
    }

    private mutating func accept(_ node: Node, on lane: Lane, isLate: Bool) {
        if !isLate, case .lane(let here) = place, here === lane {
            ready.append(node)
        } else if lane.append(node) {
            lane.nextToStart = lanesToStart
            lanesToStart = lane
        }
    }

    private mutating func enqueue(_ source: AnyPromise) {
        guard !source.marks.contains(.busy) else { return }
        source.marks.insert(.busy)
        let node = Unmanaged.passRetained(source)
        if case .background = place {
            busy.append(node)
        } else if Workers.shared.append(node) {
            startsWorker = true
        }
    }
}

// On the pointer, because handlers and nested settling reach the same pass through `Drain.current` meanwhile.
extension UnsafeMutablePointer<Drain> {
    /// Settles what only takes over an outcome, then wakes the schedulers that have been given work.
    func pass() {
        guard !pointee.isPassing else { return }
        pointee.isPassing = true
        while let node = pointee.passing.popFirst() {
            node.takeRetainedValue().advance()
        }
        pointee.isPassing = false
        while let lane = pointee.lanesToStart {
            pointee.lanesToStart = lane.nextToStart
            lane.nextToStart = nil
            lane.start()
        }
        if pointee.startsWorker {
            pointee.startsWorker = false
            Workers.shared.start()
        }
    }

    /// Runs what is ready here, and what becomes so meanwhile: on a lane, which keeps what is left, within the budget;
    /// elsewhere, where it is all `.immediate` and nobody would come back for it, to the end.
    func run() {
        guard case .lane = pointee.place else {
            while let node = pointee.ready.popFirst() { node.takeRetainedValue().advance() }
            return
        }
        while pointee.budget > 0, let node = pointee.ready.popFirst() {
            pointee.budget -= 1
            node.takeRetainedValue().advance()
        }
    }
}
