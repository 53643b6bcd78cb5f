import Dispatch
import Foundation
import Synchronization
import TangoPromise
import Testing

/// What happened in a test, in order, from any thread.
final class Recorder<Event: Sendable>: Sendable {
    private let list = Mutex<[Event]>([])

    var events: [Event] { list.withLock { $0 } }

    func note(_ event: Event) {
        _ = count(event)
    }

    /// Notes the event; returns how many there are now.
    func count(_ event: Event) -> Int {
        list.withLock { list in
            list.append(event)
            return list.count
        }
    }
}

extension Recorder where Event == String {
    /// A promise that notes when it is told to stop, and how to settle it.
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

/// Where the handlers of a test run.
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

/// How a promise comes by its outcome: where its handlers run, and whether they are attached before or after.
struct Supply: Sendable, CustomTestStringConvertible {
    let handling: Handling
    let isSettledFirst: Bool

    static let all = Handling.allCases.flatMap { handling in
        [true, false].map { Supply(handling: handling, isSettledFirst: $0) }
    }

    var testDescription: String { "\(handling.rawValue), \(isSettledFirst ? "settled before" : "settled after")" }

    /// A promise with that outcome once `attach` has attached what the test is about.
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

/// A queue that knows whether the code that asks runs on it.
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

    /// Waits for what the queue has been given so far.
    func flush() async {
        await withCheckedContinuation { done in queue.async { done.resume() } }
    }
}

/// A scheduler whose handlers run when the test says so.
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

    /// Runs here all that has been submitted; returns how many passes that took.
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

/// A clock whose sleeps are over at once, and which notes how long each was to be.
final class LeapClock: Clock, Sendable {
    let sleeps = Recorder<Duration>()

    var now: ManualClock.Instant { ManualClock.Instant(offset: .zero) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        sleeps.note(deadline.offset)
    }
}

/// A clock to be advanced by hand, which tells when a sleep ends and with which error.
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

/// Runs `body`, which may block, on a thread that nobody else needs.
func onOwnThread<Output: Sendable>(_ body: @escaping @Sendable () throws -> Output) async throws -> Output {
    try await withCheckedThrowingContinuation { done in
        Thread.detachNewThread { done.resume(with: Result { try body() }) }
    }
}

extension Promise {
    /// Whether it ends in a cancellation.
    var isCancelled: Bool {
        get async {
            guard case .failure(let error) = await result else { return false }
            return error is CancellationError
        }
    }
}

/// State that only the main actor may touch.
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

/// Waits until the task that asks is cancelled.
func untilCancelled() async {
    let (never, resolver) = Promise<Void>.pending(on: .immediate)
    _ = await never.result
    withExtendedLifetime(resolver) {}
}
