import Dispatch
import Foundation
import Synchronization
import TangoPromise
import Testing

/// A list of the events in a test, in order, from any thread.
final class Recorder<Event: Sendable>: Sendable {
    private let list = Mutex<[Event]>([])

    var events: [Event] { list.withLock { $0 } }

    func note(_ event: Event) {
        _ = count(event)
    }

    /// Records the event and returns the number of events.
    func count(_ event: Event) -> Int {
        list.withLock { list in
            list.append(event)
            return list.count
        }
    }
}

extension Recorder where Event == String {
    /// Creates a promise that records its cancellation, and the resolver that settles it.
    func pending<Value>(_ name: String, on scheduler: Scheduler = .immediate) -> (Promise<Value>, Resolver<Value>) {
        let (promise, resolver) = Promise<Value>.pending(on: scheduler)
        resolver.onCancel { self.note("\(name) stopped") }
        return (promise, resolver)
    }
}

/// Errors that tests reject with and recognise.
enum Mishap: Error, Equatable {
    case first, second
    case numbered(Int)
}

/// An error with an identity.
final class Reference: Error {}

/// The scheduler of a test's handlers.
enum Handling: String, CaseIterable, Sendable {
    case immediate, background, queue

    func makeScheduler() -> Scheduler {
        switch self {
        case .immediate: .immediate
        case .background: .background
        case .queue: .queue(DispatchQueue(label: "handlers"))
        }
    }
}

/// A way to supply a promise: the scheduler of its handlers, and their attachment before or after it settles.
struct Supply: Sendable, CustomTestStringConvertible {
    let handling: Handling
    let isSettledFirst: Bool

    static let all = Handling.allCases.flatMap { handling in
        [true, false].map { Supply(handling: handling, isSettledFirst: $0) }
    }

    var testDescription: String { "\(handling.rawValue), \(isSettledFirst ? "settled before" : "settled after")" }

    /// Returns a promise with that outcome after `attach` has attached the handlers of the test.
    func give<Value, Output>(
        _ outcome: Result<Value, any Error>, to attach: (Promise<Value>) -> Promise<Output>
    ) -> Promise<Output> {
        let (promise, resolver) = Promise<Value>.pending(on: handling.makeScheduler())
        if isSettledFirst { resolver.settle(outcome) }
        let output = attach(promise)
        if !isSettledFirst { resolver.settle(outcome) }
        return output
    }

    func value<Value, Output>(_ value: Value, to attach: (Promise<Value>) -> Promise<Output>) -> Promise<Output> {
        give(.success(value), to: attach)
    }

    func error<Output>(_ error: any Error, to attach: (Promise<Int>) -> Promise<Output>) -> Promise<Output> {
        give(.failure(error), to: attach)
    }
}

/// A queue that can tell whether the current code runs on it.
final class ProbeQueue: Sendable {
    let queue: DispatchQueue
    let scheduler: Scheduler
    private let key = DispatchSpecificKey<Bool>()

    init(attributes: DispatchQueue.Attributes = []) {
        queue = DispatchQueue(label: "probe", attributes: attributes)
        scheduler = .queue(queue)
        queue.setSpecific(key: key, value: true)
    }

    var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil }

    /// Waits for all work submitted to the queue so far.
    func flush() async {
        await withCheckedContinuation { done in queue.async { done.resume() } }
    }
}

/// A scheduler whose handlers run when the test calls `run`.
final class Pump: Sendable {
    private final class Works: Sendable {
        let list = Mutex<[@Sendable () -> Void]>([])
    }

    private let works: Works
    let scheduler: Scheduler

    init() {
        let works = Works()
        self.works = works
        scheduler = Scheduler { work in works.list.withLock { $0.append(work) } }
    }

    /// Runs all submitted work here and returns the number of passes.
    @discardableResult
    func run() -> Int {
        var passes = 0
        while let work = works.list.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            work()
            passes += 1
        }
        return passes
    }
}

/// A clock whose sleeps end at once, and which records their lengths.
final class LeapClock: Clock, Sendable {
    let sleeps = Recorder<Duration>()

    var now: ManualClock.Instant { ManualClock.Instant(offset: .zero) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        sleeps.note(deadline.offset)
    }
}

/// A manual clock that reports when a sleep ends and with which error.
final class WatchedClock: Clock, Sendable {
    let base = ManualClock()
    private let ended: @Sendable ((any Error)?) -> Void

    init(_ ended: @escaping @Sendable ((any Error)?) -> Void) {
        self.ended = ended
    }

    var now: ManualClock.Instant { base.now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        do {
            try await base.sleep(until: deadline)
            ended(nil)
        } catch {
            ended(error)
            throw error
        }
    }
}

/// Runs `body`, which may block, on a thread of its own.
func onOwnThread<Output: Sendable>(_ body: @escaping @Sendable () throws -> Output) async throws -> Output {
    try await withCheckedThrowingContinuation { done in
        Thread.detachNewThread { done.resume(with: Result { try body() }) }
    }
}

extension Promise {
    /// A Boolean value that indicates whether the result is a cancellation.
    var isCancelled: Bool {
        get async {
            guard case .failure(let error) = await result else { return false }
            return error is CancellationError
        }
    }
}

/// State that only the main actor may access.
@MainActor final class MainCounter {
    private var sum = 0

    init() {}

    @discardableResult
    func add(_ number: Int) -> Int {
        MainActor.assertIsolated()
        sum += number
        return sum
    }
}

/// Waits until the current task is cancelled.
func untilCancelled() async {
    let (never, resolver) = Promise<Void>.pending(on: .immediate)
    _ = await never.result
    withExtendedLifetime(resolver) {}
}
