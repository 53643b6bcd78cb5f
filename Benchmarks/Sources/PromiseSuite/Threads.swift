import Dispatch
import Harness
import Tango

/// Work that crosses threads.
func threads(_ size: Size) -> Group {
    let count = size(20_000)
    let races = size(50_000)
    return Group(
        "Across threads (one operation: one of 20,000 promises, all made before any is waited for; attach: 50,000)",
        (1...3).map { links in
            Row("resolved + \(links) x next, .background", operations: count) {
                attachLate(count, links: links)
            }
        } + [
            Row("Task: start a child of a group", operations: count, isComparison: true) {
                await withDiscardingTaskGroup { group in
                    for number in 0..<count { group.addTask { keep(number) } }
                }
            },
            Row("Dispatch: async to a global queue", operations: count, isComparison: true) {
                let countdown = Countdown(count)
                let queue = DispatchQueue.global()
                for _ in 0..<count { queue.async { countdown.hit() } }
                countdown.wait()
            },
            Row("attach while a thread settles, .immediate", operations: races) {
                race(races, on: .immediate)
            },
            Row("attach while a thread settles, .background", operations: races) {
                race(races, on: .background)
            },
        ])
}

private func attachLate(_ count: Int, links: Int) {
    let countdown = Countdown(count)
    for number in 0..<count {
        var last = Promise(number)
        for _ in 1..<links { last = last.next { $0 &+ 1 } }
        last.next { _ in countdown.hit() }
    }
    countdown.wait()
}

private func race(_ count: Int, on scheduler: Scheduler) {
    let countdown = Countdown(count)
    let pairs = (0..<count).map { _ in Promise<Int>.pending(on: scheduler) }
    onThreads(2) { thread in
        if thread == 0 {
            for pair in pairs { pair.promise.next { _ in countdown.hit() } }
        } else {
            for (index, pair) in pairs.enumerated() { pair.resolver.fulfill(index) }
        }
    }
    countdown.wait()
}
