import Synchronization

/// Several promises that settle one: the common part of `all`, `any`, `race` and `allSettled`.
///
/// Each input has a consumer of its own, all of them with one handler; an input that settles costs one count.
@usableFromInline
final class Gathering: Sendable {
    /// When the outcome is known before all inputs have settled.
    @usableFromInline
    enum Rule: Sendable {
        case firstFulfilled, firstRejected, first, never
    }

    /// Settles the output, which is its to settle, from inputs that have all settled.
    @usableFromInline
    typealias Completion = @Sendable (_ output: AnyPromise, _ inputs: [AnyPromise]) -> Void

    private struct State {
        var inputs: [AnyPromise]
        var consumers: [AnyPromise]
    }

    private let state: Mutex<State>
    private let remaining: Atomic<Int>
    private let rule: Rule
    private let cancelsLosers: Bool
    private let complete: Completion

    private init(_ inputs: [AnyPromise], until rule: Rule, cancelsLosers: Bool, complete: @escaping Completion) {
        state = Mutex(State(inputs: inputs, consumers: []))
        remaining = Atomic(inputs.count)
        self.rule = rule
        self.cancelsLosers = cancelsLosers
        self.complete = complete
    }

    /// Settles `output`, which nobody else will, when `rule` or the last of `inputs` decides.
    @usableFromInline
    static func settle(
        _ output: AnyPromise, from inputs: [AnyPromise], until rule: Rule, cancelsLosers: Bool,
        complete: @escaping Completion
    ) {
        if inputs.isEmpty {
            if output.claim() { complete(output, inputs) }
            return
        }
        Gathering(inputs, until: rule, cancelsLosers: cancelsLosers, complete: complete).start(inputs, output)
    }

    private func start(_ inputs: [AnyPromise], _ output: AnyPromise) {
        let handler: Handler = { consumer, input in
            consumer.finish(.fulfilled, isPlain: true)
            self.inputSettled(input, output)
        }
        let consumers = inputs.map { AnyPromise(after: $0, on: .immediate, [.everything, .inline], handler) }
        state.withLock { $0.consumers = consumers }
        output.gather(by: self)
        output.onCancel { self.leave(self.close().consumers) }
        for (input, consumer) in zip(inputs, consumers) {
            input.attach(consumer)
        }
    }

    private func inputSettled(_ input: AnyPromise, _ output: AnyPromise) {
        let isDecided =
            switch rule {
            case .first: true
            case .firstFulfilled: input.phase == .fulfilled
            case .firstRejected: input.phase != .fulfilled
            case .never: false
            }
        let isLast = remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
        guard isDecided || isLast, output.claim() else { return }
        let state = close()
        if isDecided {
            output.takeOver(input)
        } else {
            complete(output, state.inputs)
        }
        // Last, because it calls the producers of the losers, who must not change the outcome.
        if cancelsLosers { leave(state.consumers) }
    }

    /// Lets go of everything.
    private func close() -> State {
        state.withLock { state in
            defer { state = State(inputs: [], consumers: []) }
            return state
        }
    }

    /// Leaves the inputs that are still pending.
    private func leave(_ consumers: [AnyPromise]) {
        for consumer in consumers { consumer.cancel() }
    }

    /// The inputs that may still settle, for whoever looks for a cycle.
    var pendingInputs: [AnyPromise] {
        state.withLock { $0.inputs }
    }
}
