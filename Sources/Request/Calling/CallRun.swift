import Synchronization

/// A run with its output: what turns a response into it, and what waits for it.
final class CallRun<Output: Sendable>: CallCore, @unchecked Sendable {
    // Unchecked, as its superclass: everything is constant, or behind a lock.

    let outcome: CallOutcome<Output>
    private let serializer: Serializer<Output>
    /// The call that looks at this run: held strongly while it is managed, or as long as somebody else holds it.
    private let handle = Mutex(Handle())

    private struct Handle {
        var strong: Call<Output>?
        weak var weak: Call<Output>?
    }

    init(_ plan: Plan<Output>, lifetime: CallLifetime) {
        outcome = CallOutcome(on: plan.callbackScheduler)
        serializer = plan.serializer
        super.init(plan.common, lifetime: lifetime)
    }

    func start(for call: Call<Output>) {
        handle.withLock { handle in
            if lifetime == .managed { handle.strong = call } else { handle.weak = call }
        }
        start { [self] in
            do {
                settle(.success, .success(try await run()))
            } catch {
                settle(error is CancellationError ? .cancelled : .failure, .failure(complete(error)))
            }
        }
    }

    private func run() async throws -> Output {
        let response = try await fetch()
        let context = SerializationContext(json: plan.client.json)
        do {
            try plan.validation.check(response, context: context)
            return try serializer.serialize(response, context: context)
        } catch let error as RequestError {
            throw plan.errorSerializer?.refine(error, context: context) ?? error
        }
    }

    override func end(_ error: any Error, as kind: FinishedState) {
        settle(kind, .failure(error))
    }

    override func forgetCallbacks() {
        outcome.forgetCallbacks()
    }

    private func settle(_ kind: FinishedState, _ result: Result<Output, any Error>) {
        var error: (any Error)?
        if case .failure(let failure) = result { error = failure }
        finish(kind, error: error) { outcome.settle(result, call: takeHandle()) }
    }

    /// The call, which is let go of here.
    private func takeHandle() -> Call<Output>? {
        handle.withLock { handle in
            defer { handle.strong = nil }
            return handle.strong ?? handle.weak
        }
    }
}
