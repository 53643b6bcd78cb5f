import Synchronization

extension Promise {
    /// Creates a promise for each input, with at most `limit` pending at a time. The result is fulfilled with their
    /// values in input order.
    ///
    /// ```swift
    /// let users = Promise.all(ids, limit: 4) { loadUser($0) }
    /// ```
    ///
    /// Promises are eager, so this function takes a closure that creates them. It creates the first `limit` promises at
    /// once. It creates each further one when an earlier one is fulfilled, on the scheduler of that one.
    ///
    /// After the first error it creates no more promises; those in flight go on. Cancelling the returned promise leaves
    /// the promises in flight.
    ///
    /// - Parameters:
    ///   - inputs: The inputs; `make` creates one promise for each.
    ///   - limit: The highest number of pending promises. A number below 1 rejects the result with
    ///     ``PromiseError/invalidCount``, and no promise is created.
    ///   - make: Starts the work on one input. An error that it throws counts as a rejection.
    @discardableResult
    public static func all<Input: Sendable, Element>(
        _ inputs: some Sequence<Input>, limit: Int,
        _ make: @escaping @Sendable (Input) throws -> Promise<Element>
    ) -> Promise where Value == [Element] {
        guard limit > 0 else { return .rejected(PromiseError.invalidCount) }
        let work = LimitedWork(Array(inputs), make)
        let runners = (0..<min(limit, work.count)).map { _ in work.run() }
        let all = Promise<[Void]>.all(runners)
        return all.finally(on: .immediate) { work.stop() }.next(on: all.scheduler) { _ in work.outputs }
    }
}

/// A sequence of inputs that several runners consume.
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

    /// The number of inputs.
    var count: Int { inputs.count }

    /// Consumes inputs until none is left. The first failed input rejects the promise.
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

    /// Removes all inputs that are left.
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
