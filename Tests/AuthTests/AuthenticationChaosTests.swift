import Foundation
import LoopbackServer
import Synchronization
import TangoPromise
import Testing

@testable import TangoAuth
@testable import TangoRequest
@testable import TestSupport

/// Calls, tokens, failures and cancellations at random.
@Suite(.timeLimit(.minutes(20)))
struct AuthenticationChaosTests {
    /// A source whose requests are slow, and fail every third time.
    private final class Unsteady: TokenSource {
        private let count = Mutex(0)
        private let running = Mutex((now: 0, most: 0))

        var mostRunning: Int { running.withLock(\.most) }

        func token(replacing old: Token?, context: AuthenticationContext) async throws -> Token {
            let number = count.withLock { count in
                count += 1
                return count
            }
            running.withLock { running in
                running.now += 1
                running.most = max(running.most, running.now)
            }
            defer { running.withLock { $0.now -= 1 } }
            for _ in 0..<(number % 50) { await Task.yield() }
            if number % 3 == 0 { throw ScriptedSource.Refused(text: "busy") }
            return Token("t\(number)")
        }

        func decision(after error: any Error, failures: Int) async -> TokenDecision {
            failures < 2 ? .retry(after: .zero) : .giveUp
        }
    }

    /// The server accepts each token for ten requests.
    private final class Uses: Sendable {
        private let counts = Mutex<[String: Int]>([:])

        func accepts(_ token: String) -> Bool {
            counts.withLock { counts in
                counts[token, default: 0] += 1
                return counts[token, default: 0] <= 10
            }
        }
    }

    @Test func eachCallSettlesOnceAndIsSentAtMostTwice() async throws {
        let site = try Site()
        let uses = Uses()
        site.server.answer { request in
            guard let token = request.headers["Authorization"], uses.accepts(token) else { return .status(401) }
            return .json(#"{"token": "a"}"#)
        }
        let source = Unsteady()
        let authenticator = TokenAuthenticator(source)
        let now = Mutex(0.0)
        let client = Client(baseURL: site.server.url) {
            $0.timeouts = .patient
            $0.authenticator = authenticator
            // A minute for each look, so that the limit for tokens in a row is not reached.
            $0.now = {
                Date(
                    timeIntervalSince1970: now.withLock {
                        $0 += 60; return $0
                    })
            }
        }
        let settled = Mutex<[UInt64: Int]>([:])
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<40 {
            let calls = (0..<20).map { _ in Fetch<TokenSite.Item>(.get("/item"), of: client).start() }
            let ends = calls.map { call in
                call.promise.finally { settled.withLock { $0[call.id, default: 0] += 1 } }
            }
            for call in calls where Int.random(in: 0..<4, using: &generator) == 0 { call.cancel() }
            for end in ends { _ = await end.result }
            #expect(calls.allSatisfy { $0.isFinished && $0.attempts.count <= 2 })
        }
        #expect(settled.withLock { $0.count } == 800)
        #expect(settled.withLock { $0.values.allSatisfy { $0 == 1 } })
        #expect(source.mostRunning == 1)
        while authenticator.state.withLock({ $0.round != nil }) { await Task.yield() }
        #expect(authenticator.state.withLock { $0.waiters.isEmpty })
        #expect(client.calls.isEmpty)
    }
}
