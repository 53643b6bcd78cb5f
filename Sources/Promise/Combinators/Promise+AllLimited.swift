import Synchronization

extension Promise {
    /// Makes a promise for each input, at most `limit` of them pending at a time; fulfilled with their values in the
    /// order of the input.
    ///
    /// ```swift
    /// let users = Promise.all(ids, limit: 4) { loadUser($0) }
    /// ```
    ///
    /// It takes a maker because promises are eager. The first are made at once, each of the others when an earlier one is
    /// fulfilled, on the scheduler of that one. After the first error nothing more is made. Cancelling the promise that
    /// is returned leaves those under way.
    ///
    /// - Parameters:
    ///   - inputs: What to make promises of.
    ///   - limit: At least 1; less counts as 1.
    ///   - make: Starts the work on one input. An error that it throws counts as a rejection.
    @discardableResult
    public static func all<Input: Sendable, Element>(
        _ inputs: some Sequence<Input>, limit: Int,
        _ make: @escaping @Sendable (Input) throws -> Promise<Element>
    ) -> Promise where Value == [Element] {
        let work = LimitedWork(Array(inputs), make)
        let runners = (0..<work.runners(limit)).map { _ in work.run() }
        let all = Promise<[Void]>.all(runners)
        return all.finally(on: .immediate) { work.stop() }.next(on: all.scheduler) { _ in work.outputs }
    }
}

/// Inputs that several runners take one after another.
private final class LimitedWork<Input: Sendable, Output: Sendable>: Sendable {
    private struct State {
        var next = 0
        var outputs: [Output?]
    }

    private let inputs: [Input]
    private let make: @Sendable (Input) throws -> Promise<Output>
    private let state: Mutex<State>

    init(_ inputs: [Input], _ make: @escaping @Sendable (Input) throws -> Promise<Output>) {
        self.inputs = inputs
        self.make = make
        state = Mutex(State(outputs: Array(repeating: nil, count: inputs.count)))
    }

    /// How many runners there are to be.
    func runners(_ limit: Int) -> Int {
        min(max(limit, 1), inputs.count)
    }

    /// Takes inputs until there are none; rejected by the first that fails.
    func run() -> Promise<Void> {
        guard let index = take() else { return .fulfilled(()) }
        let promise: Promise<Output>
        do {
            promise = try make(inputs[index])
        } catch {
            stop()
            return .rejected(error)
        }
        return promise.next { output in
            self.state.withLock { $0.outputs[index] = output }
            return self.run()
        }
    }

    /// Leaves nothing to take.
    func stop() {
        state.withLock { $0.next = inputs.count }
    }

    private func take() -> Int? {
        state.withLock { state in
            guard state.next < inputs.count else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    var outputs: [Output] {
        state.withLock { $0.outputs.compactMap { $0 } }
    }
}
