import LoopbackServer
import TangoAuth
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// Delays that no clock can count, and random numbers that are none.
@Suite(.timeLimit(.minutes(20)))
struct DelayTests {
    private let site: Site

    init() throws { site = try Site() }

    private func client(_ change: (inout Client.Configuration) -> Void) -> Client {
        Client(baseURL: site.server.url) {
            $0.timeouts = .patient
            change(&$0)
        }
    }

    private static let endless: [Duration] = [.seconds(Int64.max), .seconds(1 << 61), .nanoseconds(Int64.max)]

    @Test(arguments: endless, [true, false])
    func endlessDelayOfAPolicyIsAWait(_ delay: Duration, isManual: Bool) async throws {
        site.server.answer("/a", with: .status(503))
        let client = client {
            if isManual { $0.clock = ManualClock() }
            $0.retryPolicy = .custom { _ in delay }
        }
        let call = Fetch<String>(.get("/a"), of: client).start()
        for await state in call.states { if case .retrying = state { break } }
        #expect(call.state == .retrying(attempt: 2, after: delay))
        call.cancel()
        #expect(await isCancelled(call.promise))
    }

    private struct Source: TokenSource {
        let delay: Duration
        let failures: Facts

        func token(replacing old: Token?, context: AuthenticationContext) async throws -> Token {
            throw RequestError(.cannotConnect, phase: .connect, detail: "no server", request: nil)
        }

        func decision(after error: any Error, failures: Int) async -> TokenDecision {
            self.failures.note("\(failures)")
            return .retry(after: delay)
        }
    }

    @Test(arguments: endless, [true, false])
    func endlessDelayOfATokenIsAWait(_ delay: Duration, isManual: Bool) async throws {
        let clock = ManualClock()
        let failures = Facts()
        let client = client {
            if isManual { $0.clock = clock }
            $0.authenticator = TokenAuthenticator(Source(delay: delay, failures: failures))
        }
        let call = Fetch<String>(.get("/a"), of: client).start()
        await failures.reached("1")
        if isManual { await clock.sleepers() }
        call.cancel()
        #expect(await isCancelled(call.promise))
        #expect(failures.all == ["1"])
    }

    @Test(arguments: [
        (Double.nan, Duration.seconds(2)), (.infinity, .seconds(2)), (-.infinity, .zero), (-1, .zero), (7, .seconds(2)),
        (0.25, .milliseconds(500)),
    ])
    func randomNumberIsBounded(_ random: Double, _ delay: Duration) async throws {
        let clock = ManualClock()
        let client = client {
            $0.clock = clock
            $0.random = { random }
            $0.retryPolicy = .exponential(attempts: 2, base: .seconds(2))
        }
        site.server.enqueue(.status(503), .text("ok"))
        let call = Fetch<String>(.get("/a"), of: client).start()
        if delay > .zero {
            await clock.sleepers()
            clock.advance(by: delay)
        }
        #expect(try await call.value == "ok")
        #expect(call.attempts.map(\.retry?.delay) == [delay, nil])
    }
}
