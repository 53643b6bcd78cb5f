import Foundation
import LoopbackServer
import Observation
import TangoCache
import TangoPromise
import TangoRequest
import TangoUI
import Testing

@testable import TestSupport

/// The model of a request for a screen, followed through Observation.
@Suite(.timeLimit(.minutes(20)))
@MainActor struct RequestModelTests {
    private let site: Site
    private let client: Client

    init() throws {
        site = try Site()
        client = site.client()
    }

    private func model(_ path: String = "/a") -> RequestModel<String> {
        RequestModel { [client] in Fetch<String>(.get(path), of: client) }
    }

    /// Returns once a condition on observed properties holds.
    private func reached(_ condition: @escaping @MainActor () -> Bool) async {
        while true {
            let (changed, resolver) = Promise<Void>.pending()
            let isReached = withObservationTracking(condition) { resolver.fulfill(()) }
            if isReached { return resolver.fulfill(()) }
            _ = await changed.result
        }
    }

    @Test func refreshDeliversTheValue() async {
        site.server.answer("/a", with: .text("hello"))
        let model = model()
        #expect(model.value == nil)
        #expect(!model.isLoading)
        #expect(site.server.requests.isEmpty)
        await model.load()
        #expect(model.value == "hello")
        #expect(model.error == nil)
        #expect(!model.isLoading)
    }

    @Test func changesAreObserved() async {
        let gate = Gate()
        site.server.answer("/a", with: Response.text("hello").held(by: gate))
        let model = model()
        model.refresh()
        #expect(model.isLoading)
        gate.open()
        await reached { model.value == "hello" }
        await reached { !model.isLoading }
        #expect(model.error == nil)
    }

    /// Each change is observed once: a refresh beside another one changes nothing that views show, and no error stays no error.
    @Test func onlyChangesAreObserved() async {
        let gate = Gate()
        site.server.answer("/a", with: Response.text("hello").held(by: gate))
        let model = model()
        model.refresh()
        let changed = Recorded<String>()
        withObservationTracking {
            _ = (model.isLoading, model.error)
        } onChange: {
            changed.add("changed")
        }
        model.refresh()
        #expect(changed.all.isEmpty)
        gate.open()
        await reached { !model.isLoading }
        #expect(changed.all == ["changed"])
    }

    @Test func cancelledTaskLoadsNothing() async {
        site.server.answer("/a", with: .text("hello"))
        let model = model()
        let task = Task { await model.load() }
        task.cancel()
        await task.value
        #expect(site.server.requests.isEmpty)
        #expect(model.value == nil)
        #expect(!model.isLoading)
    }

    /// The closure may refresh the model, as a mistake or when it asks the user something. The newer refresh is the one that counts.
    @Test func refreshOfTheClosureReplacesItsOwn() async {
        site.server.answer("/inner", with: .text("inner"))
        site.server.answer("/outer", with: .text("outer"))
        let box = Recorded<RequestModel<String>>()
        let model = RequestModel<String> { [client] in
            let (model, isOuter) = (box.all[0], box.all.count == 1)
            box.add(model)
            if isOuter { model.refresh() }
            return Fetch<String>(.get(isOuter ? "/outer" : "/inner"), of: client)
        }
        box.add(model)
        await model.load()
        #expect(model.value == "inner")
        #expect(site.server.requests.map(\.path) == ["/inner"])
    }

    @Test func failureKeepsTheValue() async {
        site.server.enqueue(.text("hello"))
        site.server.enqueue(.status(404))
        site.server.enqueue(.text("again"))
        let model = model()
        await model.load()
        await model.load()
        #expect(model.value == "hello")
        #expect(model.error?.asRequestError?.response?.status == 404)
        #expect(!model.isLoading)
        await model.load()
        #expect(model.value == "again")
        #expect(model.error == nil)
    }

    @Test func cachedValueComesFirst() async throws {
        let gate = Gate()
        let client = Client(baseURL: site.server.url, cache: MemoryStore()) {
            $0.cachePolicy = .cacheElseNetwork(maxAge: .seconds(60))
        }
        site.server.enqueue(.text("old"))
        #expect(try await Fetch<String>(.get("/a"), of: client).promise.value == "old")
        site.server.enqueue(Response.text("new").held(by: gate))
        let model = RequestModel { Fetch<String>(.get("/a"), of: client) }
        model.refresh()
        await reached { model.value == "old" }
        #expect(model.isLoading)
        gate.open()
        await reached { model.value == "new" && !model.isLoading }
        await client.shutdown()
    }

    @Test func newRefreshReplacesTheOneInFlight() async throws {
        let gate = Gate()
        site.server.enqueue(Response.text("first").held(by: gate))
        site.server.enqueue(.text("second"))
        let model = model()
        model.refresh()
        try await gate.reached()
        await model.load()
        #expect(model.value == "second")
        #expect(!model.isLoading)
        gate.open()
        #expect(client.calls.isEmpty)
    }

    @Test func cancelEndsTheCall() async throws {
        let gate = Gate()
        defer { gate.open() }
        site.server.answer("/a", with: Response.text("late").held(by: gate))
        let model = model()
        model.refresh()
        try await gate.reached()
        let call = try #require(client.calls.first)
        model.cancel()
        #expect(!model.isLoading)
        for await state in call.states where state.isFinished { #expect(state == .finished(.cancelled)) }
        #expect(model.value == nil)
        #expect(model.error == nil)
    }

    @Test func cancelledTaskCancelsTheCall() async throws {
        let gate = Gate()
        defer { gate.open() }
        site.server.answer("/a", with: Response.text("late").held(by: gate))
        let model = model()
        let task = Task { await model.load() }
        try await gate.reached()
        task.cancel()
        await task.value
        #expect(!model.isLoading)
        #expect(model.value == nil)
        #expect(model.error == nil)
    }

    @Test func releasedModelCancelsItsCall() async throws {
        let gate = Gate()
        defer { gate.open() }
        site.server.answer("/a", with: Response.text("late").held(by: gate))
        var model: RequestModel<String>? = self.model()
        weak let released = model
        model?.refresh()
        try await gate.reached()
        let call = try #require(client.calls.first)
        model = nil
        #expect(released == nil)
        for await state in call.states where state.isFinished { #expect(state == .finished(.cancelled)) }
    }

    @Test func eachRefreshMakesItsRequest() async {
        site.server.answer { .text($0.path) }
        @MainActor final class Choice {
            var path = "/one"
        }
        let choice = Choice()
        let model = RequestModel { [client] in Fetch<String>(.get(choice.path), of: client) }
        await model.load()
        #expect(model.value == "/one")
        choice.path = "/two"
        await model.load()
        #expect(model.value == "/two")
    }
}
