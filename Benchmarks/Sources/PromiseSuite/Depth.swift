import Harness
import Tango

/// Chains and loops so long that any recursion over them would overflow the stack.
func depth(_ size: Size) -> Group {
    let count = size(1_000_000)
    return Group(
        "A million deep (one operation: a link, built, run and released, or a turn of the loop)",
        [
            Row("a million links, .immediate", operations: count, tracksPeak: true) {
                runChain(count, on: .immediate)
            },
            Row("a million links, .background", operations: count, tracksPeak: true) {
                runChain(count, on: .background)
            },
            Row("a million pending links, dropped", operations: count, setUp: { Pending(count) }, { $0.drop() }),
            Row("loop of promise-returning handlers, .background", operations: count, tracksPeak: true) {
                let signal = Signal()
                loop(count, on: .background).next { _ in signal.send() }
                signal.wait()
            },
            Row("loop of promise-returning handlers, .immediate", operations: count, tracksPeak: true) {
                let signal = Signal()
                loop(count, on: .immediate).next { _ in signal.send() }
                signal.wait()
            },
            Row("Task: loop of tasks that await the next", operations: count / 10, isComparison: true, tracksPeak: true)
            {
                await taskLoop(count / 10)
            },
        ])
}

private func runChain(_ count: Int, on scheduler: Scheduler) {
    let signal = Signal()
    let (promise, resolver) = Promise<Int>.pending(on: scheduler)
    var last = promise
    for _ in 0..<count { last = last.next { $0 &+ 1 } }
    last.next { _ in signal.send() }
    resolver.fulfill(0)
    signal.wait()
}

private func loop(_ remaining: Int, on scheduler: Scheduler) -> Promise<Int> {
    let promise = Promise.fulfilled(remaining, on: scheduler)
    return remaining == 0 ? promise : promise.next { loop($0 - 1, on: scheduler) }
}

private func taskLoop(_ remaining: Int) async {
    if remaining > 0 { await Task { await taskLoop(remaining - 1) }.value }
}

/// A chain that never settles.
private final class Pending: @unchecked Sendable {
    // Unchecked, because a single thread creates and releases it.
    private var chain: (resolver: Resolver<Int>, last: Promise<Int>)?

    init(_ count: Int) {
        let (promise, resolver) = Promise<Int>.pending()
        var last = promise
        for _ in 0..<count { last = last.next { $0 &+ 1 } }
        chain = (resolver, last)
    }

    func drop() { chain = nil }
}
