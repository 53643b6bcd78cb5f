import Dispatch
import TangoPromise
import Testing

/// When a promise settles, as seen from the handlers that the test attaches.
enum Timing: CaseIterable, Sendable {
    /// Before they are attached.
    case already
    /// After they were attached, by the same thread.
    case immediately
    /// After they were attached, by another thread.
    case eventually
}

/// Where handlers run.
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

/// One combination of when a promise settles and where its handlers run.
struct Setting: Sendable, CustomTestStringConvertible {
    let timing: Timing
    let place: Place

    static let all = Timing.allCases.flatMap { timing in
        Place.allCases.map { Setting(timing: timing, place: $0) }
    }

    var testDescription: String { "\(timing), on \(place)" }

    /// A promise, and what the test calls once its handlers are attached.
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
    /// A promise that is never settled fails the test rather than stopping the whole run.
    static var noHang: TimeLimitTrait { .timeLimit(.minutes(10)) }
}
