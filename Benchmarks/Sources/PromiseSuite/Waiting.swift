import Dispatch
import Synchronization

/// Lets a row wait for work on other threads.
final class Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func send() { semaphore.signal() }
    func wait() { semaphore.wait() }
}

/// Lets a row wait until a number of handlers have run.
final class Countdown: Sendable {
    private let remaining: Atomic<Int>
    private let signal = Signal()

    init(_ count: Int) { remaining = Atomic(count) }

    func hit() {
        if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { signal.send() }
    }

    func wait() { signal.wait() }
}

/// A value that several threads change.
final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }

    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        value.withLock { value in body(&value) }
    }
}

struct Failure: Error {}
