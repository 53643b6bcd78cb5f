import Dispatch
import Harness
import Tango

/// A promise that has settled already, and one handler on it.
func resolved(_ size: Size) -> Group {
    let count = size(20_000)
    let queue = DispatchQueue(label: "one hop")
    return Group(
        "A settled promise (one operation: make it, attach one handler, run that)",
        [
            Row("resolved + next, .immediate", operations: count, must: 4, aim: 3) {
                for number in 0..<count { Promise(number).next(on: .immediate) { keep($0) } }
            },
            Row("Task: start one that returns a value, await it", operations: count, isComparison: true) {
                for number in 0..<count { keep(await Task { number }.value) }
            },
            Row("Dispatch: hop on a serial queue (R1b)", operations: count, isComparison: true) {
                let signal = Signal()
                hop(count, on: queue, then: signal)
                signal.wait()
            },
        ])
}

/// One block that enqueues the next, and so on, so that the queue's thread never sleeps.
private func hop(_ remaining: Int, on queue: DispatchQueue, then signal: Signal) {
    guard remaining > 0 else { return signal.send() }
    queue.async { hop(remaining - 1, on: queue, then: signal) }
}
