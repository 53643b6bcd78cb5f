import Harness
import Tango

/// The heap bytes of a pending promise, including one or two words in the array that holds it.
func memory(_ size: Size) -> Group {
    // For the whole program: pending promises are dropped once their memory is measured, and debug builds would print a
    // line for each.
    PromiseEvents.onDropped = nil
    let count = size(100_000)
    return Group(
        "Memory",
        [
            .memory("pending promise and its resolver", count: count, must: 160, aim: 136) { pending(count) },
            .memory("the same with one link", count: count, must: 288, aim: 248) {
                let pairs = pending(count)
                for pair in pairs { pair.promise.next { $0 &+ 1 } }
                return pairs
            },
            .memory("the same with one link that captures", count: count) {
                let pairs = pending(count)
                for (index, pair) in pairs.enumerated() { pair.promise.next { $0 &+ index } }
                return pairs
            },
            .memory("settled promise", count: count) { (0..<count).map { Promise($0) } },
            .memory("Task: suspended on a continuation", count: count / 10, isComparison: true) {
                await suspendedTasks(count / 10)
            },
        ])
}

private func pending(_ count: Int) -> [(promise: Promise<Int>, resolver: Resolver<Int>)] {
    var pairs: [(promise: Promise<Int>, resolver: Resolver<Int>)] = []
    pairs.reserveCapacity(count)
    for _ in 0..<count { pairs.append(Promise<Int>.pending()) }
    return pairs
}

private func suspendedTasks(_ count: Int) async -> SuspendedTasks {
    let tasks = SuspendedTasks()
    let (ready, isReady) = AsyncStream<Void>.makeStream()
    for _ in 0..<count {
        Task {
            await withUnsafeContinuation { continuation in
                if tasks.add(continuation) == count { isReady.yield() }
            }
        }
    }
    _ = await ready.first { true }
    return tasks
}

private final class SuspendedTasks: Sendable {
    private let continuations = Shared<[UnsafeContinuation<Void, Never>]>([])

    func add(_ continuation: UnsafeContinuation<Void, Never>) -> Int {
        continuations.withLock {
            $0.append(continuation)
            return $0.count
        }
    }

    deinit {
        continuations.withLock { $0 }.forEach { $0.resume() }
    }
}
