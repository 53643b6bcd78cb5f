import Dispatch
import Harness
import Tango

/// Chains of 1,000 links on a pending promise: build, settle, run, release.
func chains(_ size: Size) -> Group {
    let repetitions = size(20)
    let operations = repetitions * 1_000
    let queue = DispatchQueue(label: "chain")
    let long = "a string that is too long for the small form"
    return Group(
        "A chain of 1,000 links (one operation: a link, built, run and released)",
        [
            Row("chain, .immediate", operations: operations, must: 2.2, aim: 1.7) {
                for _ in 0..<repetitions { runChain(from: 0, on: .immediate) { $0.next { $0 &+ 1 } } }
            },
            Row("chain, .background", operations: operations, must: 3.6, aim: 2.6) {
                for _ in 0..<repetitions { runChain(from: 0, on: .background) { $0.next { $0 &+ 1 } } }
            },
            Row("chain, .queue", operations: operations, must: 3.6, aim: 2.6) {
                for _ in 0..<repetitions { runChain(from: 0, on: .queue(queue)) { $0.next { $0 &+ 1 } } }
            },
            Row("chain of handlers that capture, .immediate", operations: operations) {
                for number in 0..<repetitions { runChain(from: 0, on: .immediate) { $0.next { $0 &+ number } } }
            },
            Row("chain of strings, .immediate", operations: operations) {
                for _ in 0..<repetitions { runChain(from: long, on: .immediate) { $0.next { $0 } } }
            },
            Row("chain of five-word structs, .immediate", operations: operations) {
                for _ in 0..<repetitions { runChain(from: FiveWords(), on: .immediate) { $0.next { $0.next } } }
            },
            Row("rejection past 1,000 links, .immediate", operations: operations, must: 3, aim: 1.8) {
                for _ in 0..<repetitions { rejectChain() }
            },
            Row("Task: chain, each awaits the one before", operations: operations, isComparison: true) {
                for _ in 0..<repetitions { await runTaskChain() }
            },
            Row("Dispatch: chain, each block enqueues the next", operations: operations, isComparison: true) {
                for _ in 0..<repetitions { runBlocks(on: queue) }
            },
        ])
}

private struct FiveWords: Sendable {
    var words = (1, 2, 3, 4, 5)

    var next: FiveWords {
        var copy = self
        copy.words.0 &+= 1
        return copy
    }
}

@inline(never)
private func runChain<Value: Sendable>(
    from start: Value, on scheduler: Scheduler, _ link: (Promise<Value>) -> Promise<Value>
) {
    let signal = Signal()
    let (promise, resolver) = Promise<Value>.pending(on: scheduler)
    var last = promise
    for _ in 0..<1_000 { last = link(last) }
    last.next { _ in signal.send() }
    resolver.fulfill(start)
    signal.wait()
}

private func rejectChain() {
    let signal = Signal()
    let (promise, resolver) = Promise<Int>.pending(on: .immediate)
    var last = promise
    for _ in 0..<1_000 { last = last.next { $0 &+ 1 } }
    last.catch { _ in signal.send() }
    resolver.reject(Failure())
    signal.wait()
}

private func runTaskChain() async {
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    var last = Task { await stream.first { _ in true } ?? 0 }
    for _ in 0..<1_000 {
        let previous = last
        last = Task { await previous.value &+ 1 }
    }
    continuation.yield(0)
    keep(await last.value)
}

private func runBlocks(on queue: DispatchQueue) {
    let signal = Signal()
    @Sendable func step(_ number: Int) {
        if number == 1_000 { return signal.send() }
        queue.async { step(number + 1) }
    }
    step(0)
    signal.wait()
}
