import Harness
import Tango

/// Promises, links and observers.
func promises() -> [AllocationRow] {
    [
        AllocationRow("a fulfilled promise", limit: 1) { count in
            for number in 0..<count { keep(Promise(number)) }
        },
        AllocationRow("a pending promise and its resolver, settled", limit: 2) { count in
            for number in 0..<count {
                let (promise, resolver) = Promise<Int>.pending(on: .immediate)
                keep(resolver)
                resolver.fulfill(number)
                keep(promise)
            }
        },
        AllocationRow("a link of a chain", limit: 1) { count in
            let (promise, resolver) = Promise<Int>.pending(on: .immediate)
            var last = promise
            for _ in 0..<count { last = last.next { $0 &+ 1 } }
            resolver.fulfill(0)
            keep(last)
        },
        AllocationRow("a link whose handler captures a variable", limit: 3) { count in
            let (promise, resolver) = Promise<Int>.pending(on: .immediate)
            var last = promise
            for number in 0..<count { last = last.next { $0 &+ number } }
            resolver.fulfill(0)
            keep(last)
        },
        AllocationRow("an observer of a promise", limit: 1) { count in
            let (promise, resolver) = Promise<Int>.pending(on: .immediate)
            for _ in 0..<count { promise.next { keep($0) } }
            resolver.fulfill(1)
        },
    ]
}
