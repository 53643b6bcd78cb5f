import Dispatch
import TangoPromise
import Testing

/// The moment at which a promise settles, relative to the handlers that the test attaches.
enum Timing: CaseIterable, Sendable {
    /// Before they are attached.
    case already
    /// After they were attached, by the same thread.
    case immediately
    /// After they were attached, by another thread.
    case eventually
}

/// The place of the handlers.
enum Place: CaseIterable, Sendable {
    case immediate, background, queue, custom

    var scheduler: Scheduler {
        switch self {
        case .immediate: .immediate
        case .background: .background
        case .queue: .queue(DispatchQueue(label: "serial"))
        case .custom: Scheduler { DispatchQueue.global().async(execute: $0) }
        }
    }
}

/// One combination of the moment at which a promise settles and the place of its handlers.
struct Setting: Sendable, CustomTestStringConvertible {
    let timing: Timing
    let place: Place

    static let all = Timing.allCases.flatMap { timing in
        Place.allCases.map { Setting(timing: timing, place: $0) }
    }

    var testDescription: String { "\(timing), on \(place)" }

    /// Returns a promise, and a closure that the test calls once its handlers are attached.
    func promise<Value>(
        _ outcome: Result<Value, any Error>
    ) -> (promise: Promise<Value>, settle: @Sendable () -> Void) {
        timing.promise(outcome, on: place.scheduler)
    }
}

extension Timing {
    func promise<Value>(
        _ outcome: Result<Value, any Error>, on scheduler: Scheduler = .background
    ) -> (promise: Promise<Value>, settle: @Sendable () -> Void) {
        let (promise, resolver) = Promise<Value>.pending(on: scheduler)
        switch self {
        case .already:
            resolver.settle(outcome)
            return (promise, {})
        case .immediately:
            return (promise, { resolver.settle(outcome) })
        case .eventually:
            return (promise, { DispatchQueue.global().async { resolver.settle(outcome) } })
        }
    }
}

extension Trait where Self == TimeLimitTrait {
    /// A promise that never settles fails the test after this time.
    static var noHang: TimeLimitTrait { .timeLimit(.minutes(20)) }
}
