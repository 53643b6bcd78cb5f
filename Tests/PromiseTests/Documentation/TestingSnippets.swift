import Foundation
import TangoPromise
import Testing

/// The code of the article on testing.
@Suite struct TestingSnippets: Samples {
    @Test func timeout() async throws {
        let clock = ManualClock()
        let late = loadUser(1).delay(.seconds(60), clock: clock).timeout(.seconds(30), clock: clock)

        clock.advance(by: .seconds(30))
        await #expect(throws: PromiseError.timedOut) { try await late.value }
    }

    @Test func retry() async throws {
        let clock = ManualClock()
        let user = Promise.retry(2, backoff: .constant(.seconds(10)), clock: clock) { attempt in
            attempt == 1 ? loadUser(404) : loadUser(1)
        }

        await clock.sleepers()
        clock.advance(by: .seconds(10))
        #expect(try await user.value.name == "user 1")
    }

    @Test func aClockOfYourOwn() async throws {
        func loadPatiently(clock: any Clock<Duration> = ContinuousClock()) -> Promise<User> {
            Promise.retry(5, backoff: .exponential(jitter: 0), clock: clock) { _ in loadUser(1) }
        }
        #expect(try await loadPatiently().value.id == 1)
    }

    @Test func gate() async throws {
        let (gate, resolver) = Promise<Void>.pending()
        let user = gate.next { loadUser(1) }

        resolver.fulfill()
        #expect(try await user.value.id == 1)
    }

    @Test func wait() throws {
        let user = try loadUser(1).wait(timeout: .seconds(10))
        #expect(user.id == 1)
    }
}
