// A value that is not Sendable cannot be promised to other threads.
import TangoPromise

final class Counter { var count = 0 }

let promise = Promise(Counter())  // error: type 'Counter' does not conform to the 'Sendable' protocol
