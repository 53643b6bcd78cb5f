// Blocking is not for asynchronous code.
import TangoPromise

func load() async throws -> Int {
    try Promise(1).wait()  // error: instance method 'wait' is unavailable from asynchronous contexts
}
