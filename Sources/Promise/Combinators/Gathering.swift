import Synchronization

/// Several promises that settle one: the common part of `all`, `any`, `race` and `allSettled`.
///
/// Each input has a watcher of its own; an input that settles costs one count.
@usableFromInline
final class Gathering: Sendable {
    /// When the outcome is known before all inputs have settled.
    @usableFromInline
    enum Rule: Sendable {
        case firstFulfilled, firstRejected, first, never
    }

    /// The promises that were gathered, in their order. All have settled.
    @usableFromInline
    struct Inputs: RandomAccessCollection {
        fileprivate let watchers: [AnyPromise]

        @usableFromInline var startIndex: Int { 0 }
        @usableFromInline var endIndex: Int { watchers.count }
        @usableFromInline subscript(index: Int) -> AnyPromise {
            unsafeDowncast(watchers[index], to: Watcher.self).settledInput
        }
    }

    /// Settles the output, which is its to settle.
    @usableFromInline
    typealias Completion = @Sendable (_ output: AnyPromise, _ inputs: Inputs) -> Void

    private struct State {
        var output: AnyPromise?
        var watchers: [AnyPromise] = []
        /// The inputs that are still pending are left.
        var hasLeft = false
    }

    private let state: Mutex<State>
    /// The next of the combinators that one cancellation deserts. Only the thread that cancels touches it.
    nonisolated(unsafe) var nextDeserted: Unmanaged<Gathering>?
    /// The watchers that have not been told yet, and one more until all are in place. They do not hold the gathering,
    /// which would cost each of them a contended count: it holds itself until all have been told.
    private let remaining: Countdown
    private let rule: Rule
    private let cancelsLosers: Bool
    private let complete: Completion

    /// A gathering of so many inputs, which will settle `output`; nobody else does.
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
        output.gather(by: self)
    }

    /// Adds an input by its number; returns its watcher.
    @usableFromInline
    func watch(_ input: AnyPromise, _ index: Int) -> AnyPromise {
        let watcher = Watcher(of: input, index, for: self)
        input.add(watcher)
        return watcher
    }

    /// Takes charge once all inputs are there.
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

    /// Lets go of everything. `leaving` the inputs, the caller cancels the watchers that it is given.
    private func close(leaving: Bool) -> [AnyPromise] {
        state.withLock { state in
            defer { state = State(hasLeft: leaving) }
            return state.watchers
        }
    }

    /// The output was cancelled.
    func leave() {
        cancel(close(leaving: true))
    }

    private func cancel(_ watchers: [AnyPromise]) {
        for watcher in watchers { watcher.cancel() }
    }

    /// The promise that is made of the inputs, until they have decided.
    var output: AnyPromise? {
        state.withLock { $0.output }
    }

    /// The watchers of the inputs.
    var consumers: [AnyPromise] {
        state.withLock { $0.watchers }
    }

    fileprivate final class Watcher: AnyPromise, @unchecked Sendable {
        // Unchecked: all is constant but `input`, which is written once, before the count that makes it known.
        let index: Int
        // Held by itself until all watchers have been told.
        private let owner: Unmanaged<Gathering>
        private var input: AnyPromise?

        init(of input: AnyPromise, _ index: Int, for gathering: Gathering) {
            self.index = index
            owner = Unmanaged.passUnretained(gathering)
            super.init(watching: input)
        }

        override func told(of source: consuming AnyPromise) {
            let outcome = source.phase
            if source !== self { input = source }
            owner._withUnsafeGuaranteedRef { $0.told(outcome, by: self) }
        }

        override var gathering: Gathering? { owner.takeUnretainedValue() }

        /// The input; or the watcher itself, which is cancelled, if it has left before.
        var settledInput: AnyPromise { input ?? self }
    }
}
