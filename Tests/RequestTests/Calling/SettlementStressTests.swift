import Foundation
import LoopbackServer
import Synchronization
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// Calls that several threads cancel, retry, release and shut down, with fixed seeds. Each call settles once.
@Suite(.timeLimit(.minutes(20)))
struct SettlementStressTests {
    struct Dice: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    /// An observer that counts the events and callbacks of each call.
    final class Ledger: CallObserver {
        struct Account { var starts = 0; var ends = 0 }
        let accounts = Mutex<[UInt64: Account]>([:])
        let callbacks = Mutex<[UInt64: Int]>([:])
        let disorder = Atomic<Int>(0)

        func observe(_ event: CallEvent) {
            accounts.withLock { accounts in
                var account = accounts[event.call.id] ?? Account()
                switch event.kind {
                case .willStart:
                    if account.starts != 0 || account.ends != 0 { disorder.add(1, ordering: .relaxed) }
                    account.starts += 1
                case .finished:
                    if account.starts != 1 || account.ends != 0 { disorder.add(1, ordering: .relaxed) }
                    account.ends += 1
                default:
                    if account.starts != 1 || account.ends != 0 { disorder.add(1, ordering: .relaxed) }
                }
                accounts[event.call.id] = account
            }
        }

        func calledBack(_ id: UInt64) {
            callbacks.withLock { $0[id, default: 0] += 1 }
        }

        func start(_ request: Fetch<String>, _ lifetime: CallLifetime, _ marker: ReleaseMarker) -> Call<String> {
            request.start(lifetime: lifetime) { _, call in
                marker.keep()
                self.calledBack(call.id)
            } failure: { _, call in
                marker.keep()
                self.calledBack(call.id)
            }
        }
    }

    /// Observed calls run in a task. The transport runs the other calls itself.
    @Test(arguments: 1...6, [true, false])
    func eachCallSettlesOnce(seed: UInt64, isObserved: Bool) async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a"))
        site.server.answer("/b", with: .status(500))
        site.server.answer("/c", with: .text("c").failing(.reset, at: .responseBody))
        let ledger = Ledger()
        let client = site.client(observers: isObserved ? [ledger] : [])
        let settled = Facts()
        let released = Facts()
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    var dice = Dice(state: seed &* 1000 &+ UInt64(worker))
                    for _ in 0..<50 {
                        let path = ["/a", "/b", "/c", ""].randomElement(using: &dice) ?? "/a"
                        let endpoint: Endpoint = path.isEmpty ? .undeclared : .get(path)
                        let lifetime: CallLifetime = Bool.random(using: &dice) ? .managed : .unmanaged
                        let request = Fetch<String>(endpoint, of: client)
                        var call: Call<String>? = ledger.start(request, lifetime, ReleaseMarker(released))
                        let promise = call?.promise
                        switch Int.random(in: 0..<8, using: &dice) {
                        case 0: call?.cancel()
                        case 1: if let call { Thread.detachNewThread { call.cancel() } }
                        case 2: promise?.cancel()
                        case 3: call?.retry()
                        case 4: call?.detach()
                        case 5: call = nil
                        case 6: for await _ in call?.states ?? AsyncStream(unfolding: { nil }) {}
                        default: if let call { for await _ in call.progress {} }
                        }
                        let result = await promise?.result
                        if result != nil { settled.note("") }
                    }
                }
            }
            if seed.isMultiple(of: 2) {
                group.addTask {
                    while settled.count < 100 { await Task.yield() }
                    await client.shutdown()
                }
            }
        }
        await client.shutdown()
        #expect(settled.count == 200)
        #expect(client.calls.isEmpty)
        // After this, no callback can run.
        await released.callbacksAreReleased(count: 200)
        #expect(ledger.disorder.load(ordering: .relaxed) == 0)
        #expect(ledger.accounts.withLock { $0.values.allSatisfy { $0.starts == 1 && $0.ends == 1 } })
        #expect(ledger.callbacks.withLock { $0.values.allSatisfy { $0 == 1 } })
    }

    @Test func promiseMayBeReadAtAnyTime() async throws {
        let site = try Site()
        site.server.answer(with: .text("a"))
        let client = site.client()
        try await withThrowingTaskGroup { group in
            for worker in 0..<8 {
                group.addTask {
                    var dice = Dice(state: UInt64(worker))
                    for _ in 0..<200 {
                        let call = Fetch<String>(.get("/a"), of: client).start()
                        // About as long as a call takes.
                        for _ in 0..<Int.random(in: 0..<60, using: &dice) { await Task.yield() }
                        let first = try await call.promise.value
                        let second = try await call.value
                        #expect(first == "a" && second == "a")
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
