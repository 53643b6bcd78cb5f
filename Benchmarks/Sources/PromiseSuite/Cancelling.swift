import Harness
import Tango

/// Cancellation from the last link of a chain up to its producer.
func cancelling(_ size: Size) -> Group {
    let repetitions = size(20)
    let operations = repetitions * 1_000
    return Group(
        "Cancelling a chain of 1,000 links at its end (one operation: a link)",
        [
            Row("build, cancel, release", operations: operations) {
                for _ in 0..<repetitions { Chain().cancel() }
            },
            Row(
                "cancel alone", operations: operations,
                setUp: { (0..<repetitions).map { _ in Chain() } },
                { chains in chains.forEach { $0.cancel() } }),
            Row("Task: cancel 1,000 nested groups", operations: operations, isComparison: true) {
                for _ in 0..<repetitions { await cancelNested(depth: 1_000) }
            },
        ])
}

private struct Chain: Sendable {
    let resolver: Resolver<Int>
    let last: Promise<Int>

    init() {
        let (promise, resolver) = Promise<Int>.pending()
        var last = promise
        for _ in 0..<1_000 { last = last.next { $0 &+ 1 } }
        self.resolver = resolver
        self.last = last
    }

    func cancel() {
        let signal = Signal()
        resolver.onCancel { signal.send() }
        last.cancel()
        signal.wait()
    }
}

/// Starts nested tasks, each a child of the previous one, and cancels the first while the last one sleeps.
private func cancelNested(depth: Int) async {
    let (ready, isReady) = AsyncStream<Void>.makeStream()
    let task = Task { await nest(depth, isReady) }
    _ = await ready.first { true }
    task.cancel()
    await task.value
}

private func nest(_ depth: Int, _ isReady: AsyncStream<Void>.Continuation) async {
    if depth == 0 {
        isReady.yield()
        try? await Task.sleep(for: .seconds(60))
        return
    }
    await withTaskGroup { group in
        group.addTask { await nest(depth - 1, isReady) }
    }
}
