import Dispatch
import Harness
import Tango

/// `all`, from many promises of one type and from a few of different types.
func gathering(_ size: Size) -> Group {
    let count = size(10_000)
    let tuples = size(5_000)
    return Group(
        "all (one operation: one of 10,000 promises, made, settled by one of two new threads, and gathered)",
        [
            Row("all of 10,000", operations: count, must: 5, aim: 3.4) { gatherFromThreads(count) },
            Row("Task: 10,000 children resumed by two threads", operations: count, isComparison: true) {
                resumeFromThreads(count)
            },
            Row("Task: 10,000 children that return at once", operations: count, isComparison: true) {
                await withTaskGroup(of: Int.self) { group in
                    for number in 0..<count { group.addTask { number } }
                    keep(await group.reduce(into: []) { $0.append($1) })
                }
            },
            Row("Dispatch: 10,000 blocks, results under a lock", operations: count, isComparison: true) {
                gatherFromBlocks(count)
            },
            Row("all(a, b, c) of three types, once", operations: tuples) {
                for number in 0..<tuples {
                    Promise.all(Promise(number), Promise("text"), Promise(true)).next(on: .immediate) { keep($0.0) }
                }
            },
            Row("Task: async let of three types, once", operations: tuples, isComparison: true) {
                for number in 0..<tuples {
                    async let first = number
                    async let second = "text"
                    async let third = true
                    keep(await (first, second, third))
                }
            },
        ])
}

private func gatherFromThreads(_ count: Int) {
    let signal = Signal()
    var promises: [Promise<Int>] = []
    var resolvers: [Resolver<Int>] = []
    promises.reserveCapacity(count)
    resolvers.reserveCapacity(count)
    for _ in 0..<count {
        let (promise, resolver) = Promise<Int>.pending()
        promises.append(promise)
        resolvers.append(resolver)
    }
    Promise.all(promises).next(on: .immediate) { values in
        keep(values)
        signal.send()
    }
    onThreads(2) { [resolvers] thread in
        for index in stride(from: thread, to: count, by: 2) { resolvers[index].fulfill(index) }
    }
    signal.wait()
}

/// Each child suspends until one of two threads resumes it.
private func resumeFromThreads(_ count: Int) {
    let waiting = Shared<[UnsafeContinuation<Int, Never>]>([])
    let (ready, done) = (Signal(), Signal())
    Task {
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<count {
                group.addTask {
                    await withUnsafeContinuation { continuation in
                        let isLast = waiting.withLock {
                            $0.append(continuation)
                            return $0.count == count
                        }
                        if isLast { ready.send() }
                    }
                }
            }
            keep(await group.reduce(into: []) { $0.append($1) })
        }
        done.send()
    }
    ready.wait()
    let continuations = waiting.withLock { $0 }
    onThreads(2) { thread in
        for index in stride(from: thread, to: count, by: 2) { continuations[index].resume(returning: index) }
    }
    done.wait()
}

private func gatherFromBlocks(_ count: Int) {
    let results = Shared(Array(repeating: 0, count: count))
    let group = DispatchGroup()
    let queue = DispatchQueue.global()
    for index in 0..<count {
        queue.async(group: group) { results.withLock { $0[index] = index } }
    }
    group.wait()
    keep(results)
}
