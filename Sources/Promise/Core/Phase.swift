import Synchronization

/// Where a promise stands. It only ever moves down this list, except that a promise whose handler returns a promise
/// goes from `running` back to `waiting`, and one whose handler starts a task back to `open`.
@usableFromInline
enum Phase: UInt8, AtomicRepresentable {
    /// Whoever holds its resolver will settle it.
    case open
    /// A link that waits for its source.
    case waiting
    /// Somebody is working out the outcome, and alone may write it.
    case running
    case fulfilled
    case rejected
    /// Rejected with `CancellationError`, which is not stored anywhere.
    case cancelled

    @usableFromInline var isSettled: Bool { rawValue >= Phase.fulfilled.rawValue }
}

/// What a link does with the outcome of its source; settled when the link is made.
@usableFromInline
struct Traits: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The handler runs for a value; without it, the value is passed on.
    @inlinable static var values: Traits { Traits(rawValue: 1) }
    /// The handler runs for an error; without it, the error is passed on.
    @inlinable static var errors: Traits { Traits(rawValue: 2) }
    /// The handler runs for a cancellation; without it, the cancellation is passed on.
    @inlinable static var cancellations: Traits { Traits(rawValue: 4) }
    /// The handler is ours: it runs no code of the user's and needs no scheduler.
    @inlinable static var inline: Traits { Traits(rawValue: 8) }
    /// The handler runs even when the link itself is cancelled.
    @inlinable static var cleanup: Traits { Traits(rawValue: 16) }

    /// There is no handler: `told(of:)` is called, once. A watcher has no outcome and no consumers of its own; it ends
    /// as cancelled either way.
    static var watcher: Traits { Traits(rawValue: 32) }

    /// It is no promise, but work for the concurrent scheduler: `told(of:)` does it.
    static var errand: Traits { Traits(rawValue: 64) }

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

/// What has happened to a promise besides settling.
struct Marks: OptionSet, Sendable {
    let rawValue: UInt8

    /// Somebody was attached, who answers for the error from there on.
    static let observed = Marks(rawValue: 1)
    /// Its handlers are on the concurrent scheduler, queued or running; later ones line up behind them.
    static let busy = Marks(rawValue: 2)
}

/// What must be known of an outcome besides its phase.
struct Outcome: OptionSet, Sendable {
    let rawValue: UInt8

    /// The value needs no destruction.
    static let plain = Outcome(rawValue: 1)
    /// A `catch` has seen the error.
    static let handled = Outcome(rawValue: 2)
}

/// What a link waits with: its handler, and the promise it waits for. Without a handler it takes over the outcome.
struct Wait {
    var handler: Handler?
    var source: AnyPromise
}

/// What stands behind an open promise.
struct Producer {
    var onCancel: [@Sendable () -> Void] = []
    /// The promises that this one is made of, so that a cycle through a combinator is found.
    var gathering: Gathering?
}

/// The work of a link: settles the first from the second, which is settled. Throwing rejects the first.
@usableFromInline
typealias Handler = @Sendable (_ link: AnyPromise, _ source: AnyPromise) throws -> Void
