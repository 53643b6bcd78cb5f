import Harness

/// Everything about promises, and the same in plain Swift Concurrency and Dispatch where that exists.
public func promiseSuite(_ size: Size) -> [Group] {
    [
        resolved(size),
        chains(size),
        fanOut(size),
        gathering(size),
        awaiting(size),
        cancelling(size),
        threads(size),
        depth(size),
        memory(size),
    ]
}
