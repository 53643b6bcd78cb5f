// A handler cannot share an object that is not Sendable.
import TangoPromise

final class Counter { var count = 0 }

func count(_ counter: Counter) {
    Promise(1).tap { counter.count += $0 }  // error: capture of 'counter' with non-Sendable type 'Counter'
}
