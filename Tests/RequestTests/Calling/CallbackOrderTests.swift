import Dispatch
import LoopbackServer
import TangoCache
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// The callbacks of a call on one scheduler run in the order in which they were added, one at a time. The scheduler is
/// `.background`, which runs unrelated handlers at the same time.
@Suite(.timeLimit(.minutes(20))) struct CallbackOrderTests {
    let site: Site
    let gate = Gate()
    let facts = Facts()
    let client: Client
    /// Stops the first callback.
    let stop = DispatchSemaphore(value: 0)

    init() throws {
        site = try Site()
        client = Client(baseURL: site.server.url, cache: MemoryStore()) { $0.timeouts = .patient }
    }

    final class Get: Fetch<String> {
        var policy = CachePolicy.networkOnly
        override var cachePolicy: CachePolicy { policy }
    }

    func get(_ policy: CachePolicy) -> Get {
        let request = Get(.get("/a"), of: client)
        request.policy = policy
        return request
    }

    /// Adds a callback that blocks its thread.
    func addStopped(to call: Call<String>) {
        call.then { [facts, stop] value, _ in
            facts.note("first \(value) begins")
            stop.wait()
            facts.note("first \(value) ends")
        } failure: { [facts, stop] _, _ in
            facts.note("first error begins")
            stop.wait()
            facts.note("first error ends")
        }
    }

    func add(_ name: String, to call: Call<String>) {
        call.then { [facts] value, _ in
            facts.note("\(name) \(value)")
        } failure: { [facts] _, _ in
            facts.note("\(name) error")
        }
    }

    /// Returns once the scheduler has run handlers that were added after everything before.
    func passed() async throws {
        for number in 0..<20 { _ = try await Promise(number).next { $0 }.value }
    }

    enum Place: CaseIterable, Sendable { case memory, flight, failure }

    @Test(arguments: Place.allCases)
    func lateCallbacksFollowThoseBefore(_ place: Place) async throws {
        site.server.answer("/a", with: .text("a", status: place == .failure ? 500 : 200).held(by: gate))
        if place == .memory {
            gate.open()
            _ = try await get(.cacheElseNetwork).promise.value
        }
        let call = get(place == .memory ? .cacheElseNetwork : .networkOnly).start()
        let value = place == .failure ? "error" : "a"
        addStopped(to: call)
        add("second", to: call)
        gate.open()
        await facts.reached("first \(value) begins")
        for await state in call.states where state.isFinished { break }
        add("third", to: call)
        try await passed()
        add("fourth", to: call)
        try await passed()
        #expect(facts.all == ["first \(value) begins"])
        stop.signal()
        await facts.reached("fourth \(value)")
        #expect(
            facts.all == [
                "first \(value) begins", "first \(value) ends", "second \(value)", "third \(value)", "fourth \(value)",
            ])
    }

    /// The response of the server arrives while the first callback handles the cached one.
    @Test func bothDeliveriesKeepTheOrder() async throws {
        site.server.enqueue(.text("old"), .text("new").held(by: gate))
        _ = try await get(.cacheElseNetwork).promise.value
        let call = get(.cacheThenNetwork).start()
        addStopped(to: call)
        add("second", to: call)
        let delivered = Facts()
        call.then(on: .immediate) { value, _ in delivered.note(value) }
        await facts.reached("first old begins")
        gate.open()
        await delivered.reached("new")
        add("third", to: call)
        try await passed()
        #expect(facts.all == ["first old begins"])
        stop.signal()
        await facts.reached("first new begins")
        stop.signal()
        await facts.reached("third new")
        #expect(
            facts.all == [
                "first old begins", "first old ends", "second old", "first new begins", "first new ends", "second new",
                "third old", "third new",
            ])
    }
}
