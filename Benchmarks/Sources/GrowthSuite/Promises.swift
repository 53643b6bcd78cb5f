import Harness
import Tango

/// Chains of many links, and promises with many observers.
func promises(_ sizes: Sizes) -> [GrowthRow] {
    let upTo = sizes(upTo: 1_000_000)
    return [
        GrowthRow("build, settle and release a link", beside: "links in a chain", upTo) { count in
            repeating(count) {
                let (promise, resolver) = Promise<Int>.pending(on: .immediate)
                keep(chain(promise, count))
                resolver.fulfill(0)
            }
        },
        GrowthRow("build and cancel a link", beside: "links in a chain", upTo) { count in
            repeating(count) {
                let (promise, resolver) = Promise<Int>.pending(on: .immediate)
                chain(promise, count).cancel()
                keep(resolver)
            }
        },
        GrowthRow("attach, notify and release an observer", beside: "observers of a promise", upTo) { count in
            repeating(count) {
                let (promise, resolver) = Promise<Int>.pending(on: .immediate)
                for _ in 0..<count { promise.next { keep($0) } }
                resolver.fulfill(1)
            }
        },
        GrowthRow("attach and cancel an observer", beside: "observers of a promise", upTo) { count in
            let (promise, resolver) = Promise<Int>.pending(on: .immediate)
            for _ in 0..<count { promise.next { keep($0) } }
            let time = processorNanoseconds(for: 10_000) {
                for _ in 0..<10_000 { promise.next { keep($0) }.cancel() }
            }
            resolver.fulfill(1)
            return time
        },
        GrowthRow("make, settle and gather an input", beside: "inputs of all", upTo) { count in
            repeating(count) {
                let pairs = (0..<count).map { _ in Promise<Int>.pending(on: .immediate) }
                let all = Promise.all(pairs.map(\.promise))
                for (number, pair) in pairs.enumerated() { pair.resolver.fulfill(number) }
                keep(all)
            }
        },
    ]
}

/// Returns the nanoseconds of one of `count` operations, which `work` does together, often enough to be measured.
private func repeating(_ count: Int, _ work: () -> Void) -> Double {
    let turns = max(1, 10_000 / count)
    return processorNanoseconds(for: turns * count) {
        for _ in 0..<turns { work() }
    }
}

private func chain(_ promise: Promise<Int>, _ count: Int) -> Promise<Int> {
    var last = promise
    for _ in 0..<count { last = last.next { $0 &+ 1 } }
    return last
}
