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
    var budget = 1_000
    /// Whether no handler is running here, but an errand: see `settled()`.
    var isOnErrand = false
    /// Combinators whose output was cancelled, and which have yet to leave their inputs.
    fileprivate var deserted: Unmanaged<Gathering>?
    fileprivate var passing = Line<Ready>()
    fileprivate var isPassing = false
    fileprivate var lanesToStart: Unmanaged<Lane>?
    fileprivate var startsWorker = false

    enum Place {
        case nowhere
        case background
        case lane(Unmanaged<Lane>)
    }

    init(at place: Place) {
        self.place = place
    }

    var isSpent: Bool { budget <= 0 }

    fileprivate var mayGoOn: Bool {
        if case .lane = place { !isSpent } else { true }
    }

    // MARK: The thread's own

    static var current: UnsafeMutablePointer<Drain>? {
        pthread_getspecific(key)?.assumingMemoryBound(to: Drain.self)
    }

    /// Hands over inside `body`, in the pass that is under way on this thread or in one made for it.
    static func handingOver<Result>(_ body: (UnsafeMutablePointer<Drain>) -> Result) -> Result {
        guard let current else { return inNewPass(body) }
        let result = body(current)
        current.pass()
        return result
    }

    @inline(never)
    static func inNewPass<Result>(_ body: (UnsafeMutablePointer<Drain>) -> Result) -> Result {
        var drain = Drain(at: .nowhere)
        return withUnsafeMutablePointer(to: &drain) { drain in
            let result = body(drain)
            if drain.pointee.hasWork {
                let key = key  // on Linux each use of a static costs a call
                pthread_setspecific(key, drain)
                drain.pass()
                drain.run()
                pthread_setspecific(key, nil)
            }
            return result
        }
    }

    /// Makes `drain` the current pass of this thread while `body` runs.
    static func occupy(with drain: UnsafeMutablePointer<Drain>, _ body: () -> Void) {
        let key = key
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
        !ready.isEmpty || !passing.isEmpty || deserted != nil || lanesToStart != nil || startsWorker
    }

    // MARK: Handing over

    /// Takes charge of one consumer of `source`, which has settled and is locked. No code of the user's runs.
    ///
    /// - Parameter isLate: The consumer came after the promise had settled. It then queues behind all that waits at its
    ///   scheduler, where earlier consumers of the same promise may stand.
    mutating func accept(_ node: Node, of source: AnyPromise, isLate: Bool) {
        let (traits, target) = node._withUnsafeGuaranteedRef { ($0.traits, $0.scheduler.target) }
        if !traits.isDisjoint(with: [.inline, .watcher]) || !traits.want(source.phase) {
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

    /// Notes a combinator that is to leave its inputs.
    mutating func desert(_ gathering: Gathering) {
        gathering.nextDeserted = deserted
        deserted = Unmanaged.passRetained(gathering)
    }

    private mutating func accept(_ node: Node, on lane: Lane, isLate: Bool) {
        let unmanaged = Unmanaged.passUnretained(lane)
        if !isLate, case .lane(let here) = place, here.toOpaque() == unmanaged.toOpaque() {
            ready.append(node)
        } else if lane.append(node) {
            lane.nextToStart = lanesToStart
            lanesToStart = unmanaged.retain()
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
        repeat {
            while let node = pointee.passing.popFirst() {
                node.takeRetainedValue().advance()
            }
            if let gathering = pointee.deserted?.takeRetainedValue() {
                pointee.deserted = gathering.nextDeserted
                gathering.leave()
            }
        } while !pointee.passing.isEmpty || pointee.deserted != nil
        pointee.isPassing = false
        while let lane = pointee.lanesToStart?.takeRetainedValue() {
            pointee.lanesToStart = lane.nextToStart
            lane.nextToStart = nil
            lane.start()
        }
        if pointee.startsWorker {
            pointee.startsWorker = false
            Workers.shared.start()
        }
    }

    /// Runs what is ready here, and what becomes so meanwhile. On a lane, only within the budget.
    func run() {
        while pointee.mayGoOn, let node = pointee.ready.popFirst() {
            run(node)
        }
    }

    /// An errand has settled something: `.immediate` handlers run before it goes on. Inside a handler they wait for its end.
    func settled() {
        guard pointee.isOnErrand else { return }
        pointee.isOnErrand = false
        run()
        pointee.isOnErrand = true
    }

    func run(_ node: Node) {
        pointee.budget -= 1
        node.takeRetainedValue().advance()
    }
}
