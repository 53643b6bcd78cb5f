import Synchronization

/// The state of a promise. It only moves down this list, with two exceptions. A promise whose handler returns a promise
/// goes from `running` back to `waiting`. One whose handler starts a task goes back to `open`.
@usableFromInline
enum Phase: UInt8, AtomicRepresentable {
    /// A producer (a resolver, a task or a combinator) will settle it.
    case open
    /// A link that waits for its source.
    case waiting
    /// One thread has claimed the promise. Only that thread may write the outcome.
    case running
    case fulfilled
    case rejected
    /// Rejected with `CancellationError`, which is not stored.
    case cancelled

    @usableFromInline var isSettled: Bool { rawValue >= Phase.fulfilled.rawValue }
}

/// The use that a link has for each outcome of its source. It is fixed when the link is created.
@usableFromInline
struct Traits: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The handler runs for a value. Without this trait the value is passed on.
    @inlinable static var values: Traits { Traits(rawValue: 1) }
    /// The handler runs for an error. Without this trait the error is passed on.
    @inlinable static var errors: Traits { Traits(rawValue: 2) }
    /// The handler runs for a cancellation. Without this trait the cancellation is passed on.
    @inlinable static var cancellations: Traits { Traits(rawValue: 4) }
    /// The handler is internal: it runs no user code and needs no scheduler.
    @inlinable static var inline: Traits { Traits(rawValue: 8) }
    /// The handler runs even when the link itself is cancelled.
    @inlinable static var cleanup: Traits { Traits(rawValue: 16) }

    /// There is no handler: `sourceSettled(_:)` is called, once. A watcher has no outcome and no consumers. It always
    /// ends as cancelled.
    static var watcher: Traits { Traits(rawValue: 32) }

    /// The object is not a promise but a job for the concurrent scheduler, which `sourceSettled(_:)` performs.
    static var job: Traits { Traits(rawValue: 64) }

    @inlinable static var everything: Traits { [.values, .errors, .cancellations] }

    @inlinable
    func want(_ outcome: Phase) -> Bool {
        switch outcome {
        case .fulfilled: contains(.values)
        case .rejected: contains(.errors)
        default: contains(.cancellations)
        }
    }
}

/// Events in the life of a promise besides settling.
struct Marks: OptionSet, Sendable {
    let rawValue: UInt8

    /// A consumer was attached. From then on the consumer is responsible for the error.
    static let observed = Marks(rawValue: 1)
    /// Its handlers are on the concurrent scheduler, queued or running. Later ones queue behind them.
    static let busy = Marks(rawValue: 2)
}

/// Properties of an outcome besides its phase.
struct Outcome: OptionSet, Sendable {
    let rawValue: UInt8

    /// The value needs no destruction.
    static let plain = Outcome(rawValue: 1)
    /// A `catch` has handled the error.
    static let handled = Outcome(rawValue: 2)
}

/// The handler and the source of a waiting link. Without a handler, the link takes over the outcome of its source.
struct Wait {
    var handler: Handler?
    var source: AnyPromise
}

/// The producer of an open promise, with the handlers that run if the promise is cancelled.
enum Producer {
    /// A resolver, a task or a timer without a handler.
    case unaware
    case handler(@Sendable () -> Void)
    case handlers([@Sendable () -> Void])
    /// The search for cycles goes through a combinator.
    case combinator(Gathering)

    /// Adds a handler. The handlers run in the order in which they were added.
    mutating func add(_ handler: @escaping @Sendable () -> Void) {
        switch self {
        case .unaware:
            self = .handler(handler)
        case .handler(let first):
            self = .handlers([first, handler])
        case .handlers(var all):
            self = .unaware  // so that the array has one owner, and is not copied
            all.append(handler)
            self = .handlers(all)
        case .combinator:
            preconditionFailure("A combinator leaves its inputs if its output is cancelled, and has no other handler.")
        }
    }

    func runHandlers() {
        switch self {
        case .unaware, .combinator: break
        case .handler(let handler): handler()
        case .handlers(let all): for handler in all { handler() }
        }
    }

    var gathering: Gathering? {
        if case .combinator(let gathering) = self { gathering } else { nil }
    }
}

/// The work of a link: it settles the first promise from the second, which has settled. An error that it throws rejects
/// the first.
@usableFromInline
typealias Handler = @Sendable (_ link: AnyPromise, _ source: AnyPromise) throws -> Void
