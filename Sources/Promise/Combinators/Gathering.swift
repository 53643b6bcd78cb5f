import Synchronization

/// A combinator at run time: the common part of `all`, `any`, `race` and `allSettled`.
///
/// Each input has a watcher. An input that settles decrements one counter.
@usableFromInline
final class Gathering: Sendable {
    /// The condition under which the outcome is known before all inputs have settled.
    @usableFromInline
    enum Rule: Sendable {
        case firstFulfilled, firstRejected, first, never
    }

    /// The inputs, in order. All of them have settled.
    @usableFromInline
    struct Inputs: RandomAccessCollection {
        fileprivate let watchers: [AnyPromise]

        @usableFromInline var startIndex: Int { 0 }
        @usableFromInline var endIndex: Int { watchers.count }
        @usableFromInline subscript(index: Int) -> AnyPromise {
            unsafeDowncast(watchers[index], to: Watcher.self).settledInput
        }
    }

    /// Settles the output.
    @usableFromInline
    typealias Completion = @Sendable (_ output: AnyPromise, _ inputs: Inputs) -> Void

    private struct State: ~Copyable {
        var output: AnyPromise?
        var watchers: [AnyPromise] = []
        /// The gathering has left the inputs that are still pending.
        var hasLeft = false
    }

    private let state: Mutex<State>
    /// The next of the combinators that one cancellation releases. Only the thread that cancels reads or writes it.
    nonisolated(unsafe) var nextCancelled: Unmanaged<Gathering>?
    /// The number of watchers that have not been notified, plus one until all are attached. The watchers do not retain
    /// the gathering, which would cost a contended count for each; it retains itself until all have been notified.
    private let remaining: Countdown
    private let rule: Rule
    private let cancelsLosers: Bool
    private let complete: Completion

    /// Creates a gathering of `count` inputs. Only the gathering settles `output`.
    @usableFromInline
    init(
        _ count: Int, into output: AnyPromise, until rule: Rule, cancelsLosers: Bool, complete: @escaping Completion
    ) {
        state = Mutex(State(output: output))
        remaining = Countdown(count + 1)
        self.rule = rule
        self.cancelsLosers = cancelsLosers
        self.complete = complete
        _ = Unmanaged.passRetained(self)
        output.setProducer(.combinator(self))
    }

    /// Adds the input with this number and returns its watcher.
    @usableFromInline
    func watch(_ input: AnyPromise, _ index: Int) -> AnyPromise {
        let watcher = Watcher(of: input, index, for: self)
        input.add(watcher)
        return watcher
    }

    /// Starts to count once all inputs are attached.
    @usableFromInline
    func start(with watchers: [AnyPromise]) {
        let hasLeft = state.withLock { state in
            if state.output != nil { state.watchers = watchers }
            return state.hasLeft
        }
        if hasLeft { cancel(watchers) }
        countDown(watchers.count)
    }

    private func told(_ outcome: Phase, by watcher: Watcher) {
        let isDecided =
            switch rule {
            case .first: true
            case .firstFulfilled: outcome == .fulfilled
            case .firstRejected: outcome != .fulfilled
            case .never: false
            }
        if isDecided { decide { output, _ in output.takeOver(watcher.settledInput) } }
        countDown(watcher.index)
    }

    private func countDown(_ index: Int) {
        guard remaining.count(index) else { return }
        decide(complete)
        Unmanaged.passUnretained(self).release()
    }

    private func decide(_ settle: Completion) {
        guard let output = state.withLock({ $0.output }), output.claim() else { return }
        let watchers = close(leaving: cancelsLosers)
        settle(output, Inputs(watchers: watchers))
        if cancelsLosers { cancel(watchers) }
    }

    /// Releases all inputs. With `leaving`, returns the watchers that the caller must cancel.
    private func close(leaving: Bool) -> [AnyPromise] {
        state.withLock { state in
            defer { state = State(hasLeft: leaving) }
            return state.watchers
        }
    }

    /// Leaves all inputs, because the output was cancelled.
    func leave() {
        cancel(close(leaving: true))
    }

    private func cancel(_ watchers: [AnyPromise]) {
        for watcher in watchers { watcher.cancel() }
    }

    /// The promise that the inputs decide; nil once they have decided.
    var output: AnyPromise? {
        state.withLock { $0.output }
    }

    /// The watchers of the inputs.
    var consumers: [AnyPromise] {
        state.withLock { $0.watchers }
    }

    fileprivate final class Watcher: AnyPromise, @unchecked Sendable {
        // Unchecked: all is constant except `input`, which is written once, before the count that publishes it.
        let index: Int
        // The gathering retains itself until all watchers have been notified.
        private let owner: Unmanaged<Gathering>
        private var input: AnyPromise?

        init(of input: AnyPromise, _ index: Int, for gathering: Gathering) {
            self.index = index
            owner = Unmanaged.passUnretained(gathering)
            super.init(watching: input)
        }

        override func sourceSettled(_ source: consuming AnyPromise) {
            let outcome = source.phase
            if source !== self { input = source }
            owner._withUnsafeGuaranteedRef { $0.told(outcome, by: self) }
        }

        override var gathering: Gathering? { owner.takeUnretainedValue() }

        /// The input, or the watcher itself, which is cancelled, if it has left its input.
        var settledInput: AnyPromise { input ?? self }
    }
}
