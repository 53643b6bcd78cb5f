import Testing

@testable import TangoRequest
@testable import TestSupport

/// Cancellable operations that begin on an actor.
@Suite(.timeLimit(.minutes(20))) @MainActor struct CancellingOnAnActorTests {
    @Test func operationBeginsBeforeOtherWorkOfItsActor() async {
        for _ in 0..<500 {
            let facts = Facts()
            let task = Task { @MainActor in
                facts.note("task")
                await withCancellation {
                    MainActor.assertIsolated()
                    facts.note("operation")
                } onCancel: {
                }
            }
            while facts.count == 0 { await Task.yield() }
            #expect(facts.all == ["task", "operation"])
            await task.value
        }
    }

    @Test func cancellingTheTaskRunsTheCancelHandler() async {
        let (stream, end) = AsyncStream.makeStream(of: Void.self)
        let task = Task { @MainActor in
            await withCancellation {
                for await _ in stream {}
            } onCancel: {
                end.finish()
            }
        }
        task.cancel()
        await task.value
    }

    @Test func errorsOfTheOperationAreThrown() async {
        struct Mishap: Error {}
        await #expect(throws: Mishap.self) {
            try await withCancellation {
                throw Mishap()
            } onCancel: {
            }
        }
    }
}
