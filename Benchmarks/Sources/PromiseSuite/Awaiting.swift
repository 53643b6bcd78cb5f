import Harness
import Tango

/// Promises and tasks.
func awaiting(_ size: Size) -> Group {
    let count = size(20_000)
    return Group(
        "async and await",
        [
            Row("try await promise.value, settled before", operations: count) {
                let promise = Promise(1)
                for _ in 0..<count { keep(try await promise.value) }
            },
            Row("Task: await task.value, finished before", operations: count, isComparison: true) {
                let task = Task { 1 }
                _ = await task.value
                for _ in 0..<count { keep(await task.value) }
            },
            Row("try await promise.value, settled meanwhile", operations: count) {
                for number in 0..<count {
                    let (promise, resolver) = Promise<Int>.pending()
                    async let value = promise.value
                    resolver.fulfill(number)
                    keep(try await value)
                }
            },
            Row("Task: the same with a checked continuation", operations: count, isComparison: true) {
                for number in 0..<count {
                    async let value = withCheckedContinuation { $0.resume(returning: number) }
                    keep(await value)
                }
            },
            Row("try await Promise { async }.value", operations: count) {
                for number in 0..<count { keep(try await Promise { await echo(number) }.value) }
            },
            Row("Task: await Task { async }.value", operations: count, isComparison: true) {
                for number in 0..<count { keep(await Task { await echo(number) }.value) }
            },
        ])
}

@inline(never)
private func echo(_ number: Int) async -> Int { number }
