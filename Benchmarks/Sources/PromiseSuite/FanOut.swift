import Dispatch
import Harness
import Tango

/// Many handlers on one promise.
func fanOut(_ size: Size) -> Group {
    let count = size(10_000)
    return Group(
        "10,000 observers of one promise (one operation: an observer, attached, run and released)",
        [
            Row("observers, .immediate", operations: count, must: 3.5, aim: 2.4) { observe(count, on: .immediate) },
            Row("observers, .background", operations: count, must: 3.5, aim: 2.4) { observe(count, on: .background) },
            Row("Task: tasks that await one task", operations: count, isComparison: true) {
                await withTaskGroup { group in
                    let source = Task { await Task.yield() }
                    for number in 0..<count {
                        group.addTask {
                            await source.value
                            keep(number)
                        }
                    }
                }
            },
            Row("Dispatch: notify on one group", operations: count, isComparison: true) {
                let countdown = Countdown(count)
                let group = DispatchGroup()
                let queue = DispatchQueue.global()
                group.enter()
                for _ in 0..<count { group.notify(queue: queue) { countdown.hit() } }
                group.leave()
                countdown.wait()
            },
        ])
}

private func observe(_ count: Int, on scheduler: Scheduler) {
    let signal = Signal()
    let (promise, resolver) = Promise<Int>.pending(on: scheduler)
    for _ in 0..<count { promise.next { keep($0) } }
    promise.next { _ in signal.send() }
    resolver.fulfill(1)
    signal.wait()
}
