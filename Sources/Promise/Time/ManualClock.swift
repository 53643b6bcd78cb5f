import Synchronization

/// A clock that a test advances by hand, so that tests of timeouts and retries need not wait.
///
/// ```swift
/// let clock = ManualClock()
/// let late = Promise("late").delay(.seconds(9), clock: clock).timeout(.seconds(5), clock: clock)
/// clock.advance(by: .seconds(5))  // `late` is now rejected with PromiseError.timedOut
/// ```
///
/// `timeout` fixes its deadline when it is called, so you can advance the clock right after. The back-off of a retry
/// begins its sleep later: wait for it with ``sleepers(_:)`` first.
///
/// You can use a manual clock from any thread.
public final class ManualClock: Clock, Sendable {
    /// A point in time, counted from the creation of the clock.
    public struct Instant: InstantProtocol {
        /// The time since the creation of the clock.
        public let offset: Duration

        /// Creates an instant at an offset from the creation of the clock.
        public init(offset: Duration) {
            self.offset = offset
        }

        /// Returns the instant that is later by a duration.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// Returns the duration from this instant to another.
        public func duration(to other: Instant) -> Duration {
            other.offset - offset
        }

        public static func < (left: Instant, right: Instant) -> Bool {
            left.offset < right.offset
        }
    }

    private struct Sleeper {
        let id: UInt64
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State: ~Copyable {
        var now = Instant(offset: .zero)
        var lastID: UInt64 = 0
        /// In the order of their deadlines.
        var sleepers: [Sleeper] = []
        /// The sleeps that were cancelled before they began.
        var cancelled: Set<UInt64> = []
        var watchers: [Watcher] = []
    }

    private let state = Mutex(State())

    /// Creates a clock that stands at zero.
    public init() {}

    /// The time to which the clock was advanced.
    public var now: Instant {
        state.withLock { $0.now }
    }

    /// Zero: a manual clock is exact.
    public var minimumResolution: Duration { .zero }

    /// Advances the clock and wakes all sleeps whose deadline has passed, in the order of their deadlines.
    public func advance(by duration: Duration) {
        advance { now in now.advanced(by: duration) }
    }

    /// Advances the clock to an instant and wakes all sleeps whose deadline has passed. An earlier instant has no
    /// effect.
    public func advance(to instant: Instant) {
        advance { _ in instant }
    }

    private func advance(to target: (_ now: Instant) -> Instant) {
        let woken = state.withLock { state in
            state.now = max(state.now, target(state.now))
            let now = state.now
            let woken = state.sleepers.prefix { $0.deadline <= now }
            state.sleepers.removeFirst(woken.count)
            return woken
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// Returns once at least `count` sleeps wait on this clock.
    public func sleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.sleepers.count >= count { return true }
                state.watchers.append(Watcher(count: count, continuation: continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Returns once the clock has reached the deadline. Throws `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        defer { _ = state.withLock { $0.cancelled.remove(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                begin(Sleeper(id: id, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func begin(_ sleeper: Sleeper) {
        let (outcome, watchers) = state.withLock { state -> (Result<Void, any Error>?, [Watcher]) in
            if state.cancelled.remove(sleeper.id) != nil { return (.failure(CancellationError()), []) }
            if sleeper.deadline <= state.now { return (.success(()), []) }
            // Behind those with the same deadline.
            let place = state.sleepers.firstIndex { $0.deadline > sleeper.deadline } ?? state.sleepers.endIndex
            state.sleepers.insert(sleeper, at: place)
            let count = state.sleepers.count
            let watchers = state.watchers.filter { $0.count <= count }
            state.watchers.removeAll { $0.count <= count }
            return (nil, watchers)
        }
        if let outcome { sleeper.continuation.resume(with: outcome) }
        for watcher in watchers { watcher.continuation.resume() }
    }

    private func cancel(_ id: UInt64) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil
            }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
