import LoopbackServer
import TangoRequest
import Testing

@testable import TestSupport

/// Delegates on the main actor: of a call, of a request, of a client.
@MainActor @Suite(.timeLimit(.minutes(20))) struct CallDelegateTests {
    private let site: Site
    private let facts = Facts()

    init() throws {
        site = try Site()
        site.server.answer("/photo", with: .text(String(repeating: "a", count: 1000)))
        site.server.answer("/missing", with: .status(404))
    }

    /// A delegate that records what it is notified of, with the last progress.
    final class Screen: CallDelegate {
        let facts: Facts
        var received = 0

        init(_ facts: Facts) { self.facts = facts }
        deinit { facts.note("released") }

        func callStarted(_ call: AnyCall) { facts.note("started \(call.name)") }
        func call(_ call: AnyCall, progressed progress: CallProgress) { received = progress.received }
        func callSucceeded(_ call: AnyCall) { facts.note("succeeded \(call.response?.status.code ?? 0)") }
        func call(_ call: AnyCall, failedWith error: any Error) {
            facts.note("failed \((error as? RequestError)?.response?.status.code ?? 0)")
        }
        func callCancelled(_ call: AnyCall) { facts.note("cancelled") }
    }

    enum Way: CaseIterable, Sendable {
        case call, request, client
    }

    /// Starts a call that a delegate follows.
    private func start(_ path: String, _ way: Way, _ screen: Screen) -> Call<String> {
        let client = site.client(observers: way == .client ? [DelegateObserver(screen)] : [])
        let request = Fetch<String>(.get(path), of: client)
        if way == .request { request.watchers = [DelegateObserver(screen)] }
        let call = request.start()
        if way == .call { call.observe(on: .main, by: screen) }
        return call
    }

    @Test(arguments: Way.allCases) func delegateFollowsASuccess(way: Way) async {
        let screen = Screen(facts)
        let call = start("/photo", way, screen)
        await facts.reached("succeeded 200")
        #expect(facts.all == ["started GET /photo", "succeeded 200"])
        #expect(screen.received == 1000)
        #expect(call.isFinished)
    }

    @Test(arguments: Way.allCases) func delegateFollowsAFailure(way: Way) async {
        let screen = Screen(facts)
        let call = start("/missing", way, screen)
        await facts.reached("failed 404")
        #expect(facts.all == ["started GET /missing", "failed 404"])
        #expect(call.error as? RequestError != nil)
    }

    @Test(arguments: Way.allCases) func delegateFollowsACancellation(way: Way) async throws {
        let gate = Gate()
        site.server.answer("/photo", with: .text("a").held(by: gate))
        let screen = Screen(facts)
        let call = start("/photo", way, screen)
        try await gate.reached()
        await facts.reached("started GET /photo")
        call.cancel()
        await facts.reached("cancelled")
        #expect(facts.all == ["started GET /photo", "cancelled"])
    }

    @Test func delegateOfAFinishedCallLearnsItsEnd() async throws {
        let call = Fetch<String>(.get("/photo"), of: site.client()).start()
        _ = try await call.value
        let screen = Screen(facts)
        call.observe(on: .main, by: screen)
        await facts.reached("succeeded 200")
        #expect(facts.all == ["started GET /photo", "succeeded 200"])
    }

    @Test(arguments: Way.allCases) func delegateIsNotRetained(way: Way) async throws {
        let gate = Gate()
        site.server.answer("/photo", with: .text("a").held(by: gate))
        let call: Call<String>
        do {
            let screen = Screen(facts)
            call = start("/photo", way, screen)
            try await gate.reached()
        }
        await facts.reached("released")
        gate.open()
        #expect(try await call.value == "a")
        #expect(facts.all.last == "released")
    }

    /// A delegate does not keep an unmanaged call.
    @Test func observedUnmanagedCallIsCancelledWhenReleased() async throws {
        let gate = Gate()
        site.server.answer("/photo", with: .text("a").held(by: gate))
        let screen = Screen(facts)
        var call: Call<String>? = Fetch<String>(.get("/photo"), of: site.client()).start(lifetime: .unmanaged)
        call?.observe(on: .main, by: screen)
        try await gate.reached()
        call = nil
        await facts.reached("cancelled")
    }
}
