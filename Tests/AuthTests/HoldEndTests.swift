import Foundation
import LoopbackServer
import Synchronization
import TangoPromise
import Testing

@testable import TangoAuth
@testable import TangoRequest
@testable import TestSupport

/// The ends of a hold: by exactly one event, and without anything left behind.
/// They run one after the other, because each keeps a thread busy while it waits.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct HoldEndTests {
    /// An event that ends a hold.
    enum End: CaseIterable, Sendable {
        case token, failure, update, cancel, holdLimit, total, cancelAll, shutdown, signOut
    }

    /// A call that is held, with all that can end the hold.
    private final class Situation: Sendable {
        let site: TokenSite
        let clock = ManualClock()
        let token = Gate()
        let failure = Gate()
        let authenticator: TokenAuthenticator
        let client: Client
        let call: Call<TokenSite.Item>
        let limiter = Limiter(total: 1)
        private let ends = Mutex<[Task<Void, any Error>]>([])

        init(isSent: Bool) async throws {
            site = try TokenSite(accepting: "b")
            let clock = clock
            let limiter = limiter
            let (token, failure) = (token, failure)
            site.source.add { _, _ in
                // The first of the two gates decides.
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    group.addTask {
                        try await token.opened()
                        return true
                    }
                    group.addTask {
                        try await failure.opened()
                        return false
                    }
                    defer { group.cancelAll() }
                    guard try await group.next() == true else { throw ScriptedSource.Refused(text: "no") }
                    return Token("b")
                }
            }
            authenticator = site.authenticator(isSent ? Token("a") : nil, holdLimit: .seconds(10))
            client = site.client(authenticator) {
                $0.clock = clock
                $0.limiter = limiter
                $0.timeouts.total = .seconds(20)
            }
            call = site.call(client)
            while authenticator.state.withLock({ $0.waiters.isEmpty }) || site.source.replaced.isEmpty {
                await Task.yield()
            }
        }

        func end(by end: End) {
            switch end {
            case .token: token.open()
            case .failure: failure.open()
            case .update:
                perform {
                    // A sign-out may supersede the update.
                    do { try await self.authenticator.update(Token("b")) } catch let error as RequestError {
                        #expect(error.code == .signedOut)
                    }
                }
            case .cancel: call.cancel()
            case .holdLimit: clock.advance(to: .init(offset: .seconds(10)))
            case .total: clock.advance(to: .init(offset: .seconds(20)))
            case .cancelAll: client.cancelAll()
            case .shutdown: perform { await self.client.shutdown() }
            case .signOut: perform { try await self.client.signOut() }
            }
        }

        private func perform(_ work: @escaping @Sendable () async throws -> Void) {
            let task = Task(operation: work)
            ends.withLock { $0.append(task) }
        }

        func finish() async throws {
            for end in ends.withLock({ $0 }) { try await end.value }
        }
    }

    private static let pairs = End.allCases.flatMap { first in End.allCases.map { (first, $0) } }

    @Test(arguments: pairs, [true, false])
    func holdEndsOnceWhateverEndsIt(_ ends: (End, End), isSent: Bool) async throws {
        weak var released: Call<TokenSite.Item>?
        var situation: Situation? = try await Situation(isSent: isSent)
        let client = try #require(situation?.client)
        let authenticator = try #require(situation?.authenticator)
        let limiter = try #require(situation?.limiter)
        let source = try #require(situation?.site.source)
        do {
            let situation = try #require(situation)
            released = situation.call
            let settled = Mutex(0)
            let all = situation.call.promise.finally { settled.withLock { $0 += 1 } }
            situation.end(by: ends.0)
            situation.end(by: ends.1)
            let outcome = await situation.call.promise.result
            try await situation.finish()
            _ = await all.result
            #expect(settled.withLock { $0 } == 1)
            check(outcome, ends, isSent)
            // Whatever did not decide comes now, and finds nothing.
            situation.token.open()
        }
        // Nothing is left: no waiter, no request for a token, no slot, no call.
        while authenticator.state.withLock({ $0.round != nil || !$0.waiters.isEmpty }) { await Task.yield() }
        #expect(client.calls.isEmpty)
        #expect(source.mostRunning == 1)
        situation = nil
        while released != nil { await Task.yield() }
        // The exchange of a call that has ended gives its slot back when the transport has noticed.
        while limiter.running > 0 { await Task.yield() }
        #expect(limiter.waiting == 0)
    }

    private func check(_ outcome: Result<TokenSite.Item, any Error>, _ ends: (End, End), _ isSent: Bool) {
        let possible = Set([ends.0, ends.1].flatMap { Self.outcomes(of: $0, isSent) })
        let word: String =
            switch outcome {
            case .success(let item): "success \(item.token)"
            case .failure(is CancellationError): "cancelled"
            case .failure(let error): (error as? RequestError)?.code.rawValue ?? "\(error)"
            }
        #expect(possible.contains(word))
    }

    /// The outcomes that a call may have after an event.
    private static func outcomes(of end: End, _ isSent: Bool) -> [String] {
        switch end {
        case .token, .update: ["success b"]
        case .failure: [isSent ? "badStatus" : "authenticationFailed"]
        case .cancel, .cancelAll: ["cancelled"]
        case .holdLimit: ["authenticationTimedOut"]
        case .total: ["totalTimedOut", "authenticationTimedOut"]
        case .shutdown: ["shutDown"]
        case .signOut: ["signedOut"]
        }
    }

    @Test func callsWithoutALimitWaitOn() async throws {
        let clock = ManualClock()
        let site = try TokenSite(accepting: "a")
        let gate = Gate()
        site.source.add { _, _ in
            try await gate.opened()
            return Token("a")
        }
        let client = site.client(site.authenticator(holdLimit: nil)) { $0.clock = clock }
        let call = site.call(client)
        try await gate.reached()
        clock.advance(by: .seconds(86_400))
        gate.open()
        #expect(try await call.value.token == "a")
    }

    @Test func errorOfTheHoldLimitSaysWhatToDo() async throws {
        let situation = try await Situation(isSent: true)
        situation.clock.advance(by: .seconds(10))
        let error = try #require(await refusal(of: situation.call.promise))
        #expect(error.code == .authenticationTimedOut)
        #expect(error.detail.contains("10.0 seconds"))
        #expect(error.detail.contains("holdLimit"))
        situation.token.open()
    }

    @Test func errorOfTheTotalTimeNamesTheHold() async throws {
        let clock = ManualClock()
        let site = try TokenSite(accepting: "a")
        let gate = Gate()
        site.source.add { _, _ in
            try await gate.opened()
            return Token("a")
        }
        let client = site.client(site.authenticator(holdLimit: nil)) {
            $0.clock = clock
            $0.timeouts.total = .seconds(3)
        }
        let call = site.call(client)
        while call.state != .held { await Task.yield() }
        clock.advance(by: .seconds(3))
        let error = try #require(await refusal(of: call.promise))
        #expect(error.code == .totalTimedOut)
        #expect(error.detail.contains("credentials"))
        gate.open()
    }

    /// A cancelled call must not lose the token of the others: the server may accept a refresh token only once.
    @Test func requestForATokenOutlivesTheCallThatBeganIt() async throws {
        let situation = try await Situation(isSent: true)
        let other = situation.site.call(situation.client)
        while situation.authenticator.state.withLock({ $0.waiters.count }) < 2 { await Task.yield() }
        situation.call.cancel()
        situation.token.open()
        #expect(try await other.value.token == "b")
        #expect(situation.site.source.replaced == ["a"])
    }
}
