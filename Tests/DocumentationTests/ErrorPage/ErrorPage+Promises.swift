import TangoPromise

@testable import TestSupport

/// Errors of promises.
extension ErrorPage {
    mutating func addPromises() async {
        await add("The resolver is released before the promise is settled.") {
            try await Promise<Int>.pending().promise.value
        }
        await add("A promise that follows itself.") {
            let (promise, resolver) = Promise<Int>.pending()
            resolver.follow(promise)
            return try await promise.value
        }
        await add("`timeout` passes.") {
            let clock = ManualClock()
            let (promise, resolver) = Promise<Int>.pending()
            let limited = promise.timeout(.seconds(1), clock: clock)
            clock.advance(by: .seconds(1))
            defer { withExtendedLifetime(resolver) {} }
            return try await limited.value
        }
        await add("`validate` returns false.") { try await Promise.fulfilled(1).validate { $0 > 1 }.value }
        await add("`race` without promises.") { try await Promise<Int>.race([]).value }
        await add("`any` without promises.") { try await Promise<Int>.any([]).value }
        await add("`any`, and all promises fail.") {
            struct Offline: Error {}
            return try await Promise<Int>.any([.rejected(Offline()), .rejected(PromiseError.timedOut)]).value
        }
        await add("`all` with a limit of zero.") {
            try await Promise.all([1], limit: 0) { Promise($0) }.value
        }
        await add("`wait` on the thread that the promise needs.") { throw PromiseError.deadlock }
    }
}
