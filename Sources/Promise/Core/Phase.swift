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
    /// Work that ends when no consumer is left.
    case work(any PromiseWork)

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
        case .combinator, .work:
            preconditionFailure("A combinator, or work, ends by itself if its output is cancelled: add no handler.")
        }
    }

    func runHandlers() {
        switch self {
        case .unaware, .combinator: break
        case .handler(let handler): handler()
        case .handlers(let all): for handler in all { handler() }
        case .work(let work): work.consumersLeft()
        }
    }

    var gathering: Gathering? {
        if case .combinator(let gathering) = self { gathering } else { nil }
    }

    var work: (any PromiseWork)? {
        if case .work(let work) = self { work } else { nil }
    }
}

/// The work of a link: it settles the first promise from the second, which has settled. An error that it throws rejects
/// the first.
@usableFromInline
typealias Handler = @Sendable (_ link: AnyPromise, _ source: AnyPromise) throws -> Void

/// Three words inside every promise. Their content depends on the phase.
///
/// | phase | content |
/// |---|---|
/// | `open` | a `Producer` |
/// | `waiting` | a `Wait` |
/// | `running`, `cancelled` | nothing that another thread may read |
/// | `fulfilled` | the value, or the `Box` that holds it |
/// | `rejected` | the error |
///
/// Values that are too large, or that must not be moved as bytes (those with a weak reference inside), live in a `Box`.
@usableFromInline
struct Slot {
    @usableFromInline var words: (UInt, UInt, UInt) = (0, 0, 0)

    @inlinable init() {}

    @inlinable
    mutating func store<Content>(_ content: consuming Content) {
        if Slot.fits(Content.self) {
            place(content)
        } else {
            place(Box(content))
        }
    }

    /// Returns a copy of the content, which stays in the slot.
    @inlinable
    func load<Content>(as _: Content.Type = Content.self) -> Content {
        withUnsafePointer(to: words) { words in
            let pointer = UnsafeRawPointer(words)
            return if Slot.fits(Content.self) {
                pointer.assumingMemoryBound(to: Content.self).pointee
            } else {
                pointer.assumingMemoryBound(to: Box<Content>.self).pointee.content
            }
        }
    }

    /// Moves the content out of the slot.
    @inlinable
    mutating func take<Content>(as _: Content.Type = Content.self) -> Content {
        withPointer { pointer in
            if Slot.fits(Content.self) {
                pointer.assumingMemoryBound(to: Content.self).move()
            } else {
                pointer.assumingMemoryBound(to: Box<Content>.self).move().content
            }
        }
    }

    @inlinable
    static func fits<Content>(_: Content.Type) -> Bool {
        MemoryLayout<Content>.size <= MemoryLayout<Slot>.size
            && MemoryLayout<Content>.alignment <= MemoryLayout<Slot>.alignment
            && _isBitwiseTakable(Content.self)
    }

    /// Returns whether a value of this type needs no destruction.
    @inlinable
    static func forgets<Content>(_: Content.Type) -> Bool {
        _isPOD(Content.self) && fits(Content.self)
    }

    @inlinable
    mutating func place<Content>(_ content: consuming Content) {
        let content = content
        withPointer { _ = $0.initializeMemory(as: Content.self, to: content) }
    }

    mutating func place(error: any Error) {
        place(error as any Error)  // the coercion keeps the box, which a generic parameter would open
    }

    @inlinable
    mutating func withPointer<Result>(_ body: (UnsafeMutableRawPointer) -> Result) -> Result {
        withUnsafeMutablePointer(to: &self) { body(UnsafeMutableRawPointer($0)) }
    }
}

/// A value that does not fit into a slot.
@usableFromInline
final class Box<Content> {
    @usableFromInline let content: Content

    @inlinable init(_ content: consuming Content) { self.content = content }
}
