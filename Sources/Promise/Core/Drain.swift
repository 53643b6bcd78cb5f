#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One thread's pass over the links that have become ready.
///
/// Settling a promise hands its consumers over. Links without a handler settle on the spot, in a loop and never by
/// recursion. Handlers go to the queue of their scheduler. Handlers for the scheduler that this thread is draining, or
/// for `.immediate`, run in the same pass, so that a chain costs one hop however long it is.
struct Drain {
    /// The scheduler that this pass drains; none when a settling thread runs `.immediate` handlers.
    let place: Place
    /// The handlers that run next in this pass.
    var ready = PromiseQueue<Ready>()
    /// Promises with handlers for the concurrent scheduler, while this thread is one of its workers.
    var busy = PromiseQueue<Busy>()
    /// The number of handlers that this pass may still run before it yields.
    var budget = 1_000
    /// This pass is running a background job and no handler: see `settled()`.
    var isRunningJob = false
    /// Combinators whose output was cancelled, and which still have to leave their inputs.
    fileprivate var cancelled: Unmanaged<Gathering>?
    fileprivate var passing = PromiseQueue<Ready>()
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

    // MARK: The pass of the current thread

    static var current: UnsafeMutablePointer<Drain>? {
        pthread_getspecific(key)?.assumingMemoryBound(to: Drain.self)
    }

    /// Calls `body` with the pass of this thread. If there is none, creates one for the call.
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
            if drain.pointee.hasWork { finish(drain) }
            return result
        }
    }

    @inline(never)
    private static func finish(_ drain: UnsafeMutablePointer<Drain>) {
        let key = key  // on Linux each use of a static costs a call
        pthread_setspecific(key, drain)
        drain.pass()
        drain.run()
        pthread_setspecific(key, nil)
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
            code == 0, "The system has no thread-specific key left (\(code)). Use fewer in this process.")
        return key
    }()

    private var hasWork: Bool {
        !ready.isEmpty || !passing.isEmpty || cancelled != nil || lanesToStart != nil || startsWorker
    }

    // MARK: Handing over consumers

    /// Takes over one consumer of `source`, which has settled and is locked. No user code runs.
    ///
    /// - Parameter isLate: The consumer was attached after the promise had settled. It then queues behind all waiting
    ///   handlers of its scheduler, which may include earlier consumers of the same promise.
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

    /// Records a combinator that has to leave its inputs.
    mutating func addCancelled(_ gathering: Gathering) {
        gathering.nextCancelled = cancelled
        cancelled = Unmanaged.passRetained(gathering)
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

// Methods of the pointer, because handlers and nested settling reach the same pass through `Drain.current` meanwhile.
extension UnsafeMutablePointer<Drain> {
    /// Settles the links without a handler, then starts the schedulers that have received work.
    func pass() {
        guard !pointee.isPassing else { return }
        pointee.isPassing = true
        repeat {
            while let node = pointee.passing.popFirst() {
                node.takeRetainedValue().advance()
            }
            if let gathering = pointee.cancelled?.takeRetainedValue() {
                pointee.cancelled = gathering.nextCancelled
                gathering.leave()
            }
        } while !pointee.passing.isEmpty || pointee.cancelled != nil
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

    /// Runs the handlers that are ready here, and those that become ready meanwhile. A lane stops at its budget.
    func run() {
        while pointee.mayGoOn, let node = pointee.ready.popFirst() {
            run(node)
        }
    }

    /// Runs the `.immediate` handlers after a background job has settled something. Inside a handler they wait for its
    /// end.
    func settled() {
        guard pointee.isRunningJob else { return }
        pointee.isRunningJob = false
        run()
        pointee.isRunningJob = true
    }

    func run(_ node: Node) {
        pointee.budget -= 1
        node.takeRetainedValue().advance()
    }
}

/// A queue of promises, first in, first out, which runs through the promises themselves.
struct PromiseQueue<Field: QueueField>: @unchecked Sendable {
    // Unchecked: a queue is always inside a lock or on one thread's stack.
    private var head: Node?
    private var tail: Node?

    var isEmpty: Bool { head == nil }

    mutating func append(_ node: Node) {
        Field.set(nil, after: node)
        if let tail {
            Field.set(node, after: tail)
        } else {
            head = node
        }
        tail = node
    }

    mutating func popFirst() -> Node? {
        guard let node = head else { return nil }
        head = Field.get(after: node)
        if head == nil { tail = nil }
        Field.set(nil, after: node)
        return node
    }

    /// Moves all elements of `other` to the end of this queue.
    mutating func append(contentsOf other: inout PromiseQueue) {
        guard let first = other.head else { return }
        if let tail {
            Field.set(first, after: tail)
        } else {
            head = first
        }
        tail = other.tail
        other = PromiseQueue()
    }
}

/// The field of a promise that a queue runs through. A promise can be in two queues at once, one for each field.
protocol QueueField {
    static func get(after node: Node) -> Node?
    static func set(_ next: Node?, after node: Node)
}

/// The field for queues of links that are ready to run.
enum Ready: QueueField {
    static func get(after node: Node) -> Node? { node._withUnsafeGuaranteedRef { $0.next } }
    static func set(_ next: Node?, after node: Node) { node._withUnsafeGuaranteedRef { $0.next = next } }
}

/// The field for queues of settled promises that have handlers to run on the concurrent scheduler.
enum Busy: QueueField {
    static func get(after node: Node) -> Node? { node._withUnsafeGuaranteedRef { $0.nextBusy } }
    static func set(_ next: Node?, after node: Node) { node._withUnsafeGuaranteedRef { $0.nextBusy = next } }
}
