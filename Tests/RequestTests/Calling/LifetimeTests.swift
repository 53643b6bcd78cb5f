import Foundation
import LoopbackServer
import Synchronization
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

@Suite(.timeLimit(.minutes(20)))
struct LifetimeTests {
    @Test func managedCallNeedsNoReference() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a"))
        let facts = Facts()
        Fetch<String>(.get("/a"), of: site.client()).start { value, _ in facts.note(value) }
        await facts.reached("a")
    }

    @Test func aClientLivesAsLongAsItsCalls() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .text("a").held(by: gate))
        weak var client: Client?
        let promise: Promise<String>
        do {
            let strong = site.client()
            client = strong
            promise = strong.get("/a")
        }
        try await gate.reached()
        #expect(client != nil)
        gate.open()
        #expect(try await promise.value == "a")
        await becomes { client == nil }
    }

    @Test func unmanagedCallIsCancelledWhenReleased() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .text("a").held(by: gate))
        let facts = Facts()
        let client = site.client(observers: [facts.observer()])
        let request = Fetch<String>(.get("/a"), of: client)
        var call: Call<String>?
        do {
            let (success, failure) = facts.callbacks()
            call = request.start(lifetime: .unmanaged, success: success, failure: failure)
        }
        try await gate.reached()
        #expect(call?.state == .running)
        call = nil
        await facts.reached("finished cancelled")
        let connection = try #require(site.server.requests.first).connection
        _ = try await site.server.connectionEnded(connection)
        await facts.callbacksAreReleased()
        #expect(facts.callbacksRun == [])
    }

    /// The call has succeeded, and its callbacks wait for their turn.
    @Test(arguments: [false, true])
    func releasedUnmanagedCallHasNoQueuedCallbacks(isAddedLate: Bool) async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a"))
        let facts = Facts()
        let queue = DispatchQueue(label: "callbacks")
        let client = site.client(callbackScheduler: .queue(queue))
        let request = Fetch<String>(.get("/a"), of: client)
        queue.suspend()
        var call: Call<String>? = request.start(lifetime: .unmanaged)
        if isAddedLate { for await state in try #require(call).states where state.isFinished { break } }
        do {
            let (success, failure) = facts.callbacks()
            call?.then(success: success, failure: failure)
        }
        for await state in try #require(call).states where state.isFinished { break }
        await client.shutdown()
        #expect(call?.state == .finished(.success))
        call = nil
        queue.resume()
        await facts.callbacksAreReleased()
        #expect(facts.callbacksRun == [])
    }

    /// The main actor is busy while the call ends, and then releases the call.
    @Test @MainActor func unmanagedCallReleasedOnTheMainActorHasNoCallbacksThere() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a"))
        let facts = Facts()
        let client = site.client()
        let submitted = DispatchSemaphore(value: 0)
        let held = Recorded<@Sendable () -> Void>()
        let other = Scheduler { work in
            held.add(work)
            submitted.signal()
        }
        var call: Call<String>? = Fetch<String>(.get("/a"), of: client).start(lifetime: .unmanaged)
        do {
            let marker = ReleaseMarker(facts)
            call?.then(on: .main) { _, _ in
                marker.keep()
                facts.note("callback success")
            } failure: { _, _ in
                marker.keep()
                facts.note("callback failure")
            }
        }
        // Its work is submitted once the callbacks before wait in the queue of the main actor.
        call?.then(on: other) { _, _ in facts.note("callback late") }
        Self.wait(for: submitted)
        call = nil
        for work in held.all { work() }
        await facts.callbacksAreReleased()
        #expect(facts.callbacksRun == [])
    }

    /// Blocks the main actor.
    private static func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }

    @Test func promiseRetainsAnUnmanagedCall() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .text("a").held(by: gate))
        let client = site.client()
        var call: Call<String>? = Fetch<String>(.get("/a"), of: client).start(lifetime: .unmanaged)
        let promise = try #require(call?.promise)
        #expect(call?.promise === promise)
        try await gate.reached()
        call = nil
        #expect(client.activeCalls == 1)
        gate.open()
        #expect(try await promise.value == "a")
    }

    @Test func unmanagedCallIsCancelledWhenItsPromiseIsReleased() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .text("a").held(by: gate))
        let facts = Facts()
        let client = site.client(observers: [facts.observer()])
        var promise: Promise<String>? = Fetch<String>(.get("/a"), of: client).start(lifetime: .unmanaged).promise
        try await gate.reached()
        #expect(promise != nil && !facts.all.contains("finished cancelled"))
        promise = nil
        await facts.reached("finished cancelled")
    }

    @Test func linkRetainsAnUnmanagedCall() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .text("a").held(by: gate))
        let link = Fetch<String>(.get("/a"), of: site.client()).start(lifetime: .unmanaged).promise.next { $0 + "b" }
        try await gate.reached()
        gate.open()
        #expect(try await link.value == "ab")
    }

    enum Way: CaseIterable, Sendable {
        case success, failure, cancelled, unsent, callbacks, promise, both, unmanaged, followed
    }

    @Test(arguments: Way.allCases)
    func endedCallIsReleased(way: Way) async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a", status: way == .failure ? 500 : 200))
        let client = site.client()
        weak var weakCall: Call<String>?
        weak var weakCore: CallCore?
        weak var weakPromise: Promise<String>?
        do {
            let request = Fetch<String>(way == .unsent ? .undeclared : .get("/a"), of: client)
            let call = request.start(lifetime: way == .unmanaged ? .unmanaged : .managed)
            weakCall = call
            weakCore = call.core
            if way == .callbacks || way == .both {
                let facts = Facts()
                call.then { _, call in facts.note("\(call.id)") }
                await facts.reached(count: 1)
            }
            if way == .followed {
                for await _ in call.states {}
                for await _ in call.progress {}
            }
            if way == .cancelled { call.cancel() }
            if way != .callbacks {
                weakPromise = call.promise
                _ = try? await call.value
            }
        }
        await becomes { weakCall == nil && weakCore == nil && weakPromise == nil }
        #expect(client.activeCalls == 0)
    }

    @Test func manyCallsAreReleased() async throws {
        let count = isLongRun ? 100_000 : 1000
        let site = try LoopbackServer(recording: .none)
        site.answer("/a", with: .text("a"))
        let client = Client(baseURL: site.url)
        for start in stride(from: 0, to: count, by: 50) {
            let weak = await withTaskGroup(of: Void.self) { group in
                let cores = Cores()
                for number in start..<start + 50 {
                    group.addTask {
                        let call = Fetch<String>(.get("/a"), of: client).start { _, _ in }
                        cores.add(call.core)
                        if number % 5 == 0 { call.cancel() }
                        _ = try? await call.value
                    }
                }
                await group.waitForAll()
                return cores
            }
            await becomes { weak.living == 0 }
        }
        #expect(client.activeCalls == 0)
        #expect(client.calls.isEmpty)
        site.stop()
    }

    /// Waits until other threads make a condition true. The time limit of the suite ends the wait.
    private func becomes(_ condition: () -> Bool) async {
        while !condition() { await Task.yield() }
    }
}

/// Weak references to cores.
private final class Cores: Sendable {
    private struct Reference: Sendable {
        weak var core: CallCore?
    }

    private let all = Mutex<[Reference]>([])

    func add(_ core: CallCore) {
        all.withLock { $0.append(Reference(core: core)) }
    }

    var living: Int { all.withLock { $0.count { $0.core != nil } } }
}
