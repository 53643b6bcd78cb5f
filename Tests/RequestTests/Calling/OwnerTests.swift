import LoopbackServer
import PromiseReports
import Synchronization
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// Calls for an object, and callbacks that hold one.
@MainActor @Suite(.timeLimit(.minutes(20))) struct OwnerTests {
    private let site: Site
    private let facts = Facts()

    init() throws {
        site = try Site()
        site.server.answer("/name", with: .text("Ada"))
        site.server.answer("/missing", with: .status(404))
    }

    /// A screen that stores its call, as most do.
    @MainActor final class Screen {
        let facts: Facts
        var call: Call<String>?
        var name = ""

        init(_ facts: Facts) { self.facts = facts }
        deinit { facts.note("screen released") }

        func show(_ name: String) {
            self.name = name
            facts.note(name)
        }
    }

    private func request(_ path: String = "/name", of client: Client? = nil) -> Fetch<String> {
        Fetch<String>(.get(path), of: client ?? site.client())
    }

    // MARK: Callbacks that hold the screen

    @Test func callbacksAreReleasedAfterASuccess() async {
        do {
            let screen = Screen(facts)
            screen.call = request().start(on: .main) { name in screen.show(name) }
            await facts.reached("Ada")
        }
        await facts.reached("screen released")
    }

    @Test func callbacksAreReleasedAfterBothDeliveries() async throws {
        let cached = Client(baseURL: site.server.url, cache: MemoryStore())
        final class Twice: Fetch<String> {
            override var cachePolicy: CachePolicy { .cacheThenNetwork }
        }
        _ = try await Twice(.get("/name"), of: cached).promise.value
        do {
            let screen = Screen(facts)
            screen.call = Twice(.get("/name"), of: cached).start(on: .main) { name in screen.show(name) }
            await facts.reached { $0.count { $0 == "Ada" } == 2 }
        }
        await facts.reached("screen released")
    }

    @Test func callbacksAreReleasedByCancelling() async throws {
        let gate = Gate()
        site.server.answer("/name", with: .text("Ada").held(by: gate))
        do {
            let screen = Screen(facts)
            let call = request().start(on: .main) { name in screen.show(name) }
            screen.call = call
            try await gate.reached()
            call.cancel()
        }
        await facts.reached("screen released")
        #expect(facts.all == ["screen released"])
    }

    /// After a failure, the callbacks stay for another try, until the call is released or cancelled.
    @Test(arguments: [false, true]) func callbacksStayAfterAFailure(isCancelled: Bool) async throws {
        var call: Call<String>?
        do {
            let screen = Screen(facts)
            call = request("/missing").start(on: .main) { name in
                screen.show(name)
            } failure: { _ in
                screen.facts.note("failed")
            }
        }
        await facts.reached("failed")
        #expect(call?.error as? RequestError != nil)
        site.server.answer("/missing", with: .text("found"))
        call?.retry()
        await facts.reached("found")
        #expect(!facts.all.contains("screen released"))
        if isCancelled { call?.cancel() } else { call = nil }
        await facts.reached("screen released")
    }

    /// A callback may start the next call of a poll.
    @Test func callStartedInACallbackHasTheCallbacks() async {
        request().start { _, call in
            self.facts.note("polled")
            if self.facts.count < 3 { call.retry() }
        }
        await facts.reached(count: 3)
    }

    @Test func callStartedAfterASuccessHasNoCallbacks() async throws {
        var call: Call<String>?
        do {
            let screen = Screen(facts)
            call = request().start(on: .main) { name in screen.show(name) }
        }
        await facts.reached("screen released")
        let again = try #require(call?.retry())
        #expect(try await again.value == "Ada")
        #expect(facts.all == ["Ada", "screen released"])
    }

    // MARK: Calls for a screen

    @Test func ownerIsCalledAndNotRetained() async {
        do {
            let screen = Screen(facts)
            screen.call = request().start(for: screen, on: .main) { screen, name in screen.show(name) }
            await facts.reached("Ada")
            #expect(screen.name == "Ada")
        }
        await facts.reached("screen released")
    }

    @Test func ownerIsNotifiedOfAFailure() async {
        let screen = Screen(facts)
        screen.call = request("/missing").start(for: screen, on: .main) { screen, name in
            screen.show(name)
        } failure: { screen, error in
            screen.facts.note("\((error as? RequestError)?.response?.status.code ?? 0)")
        }
        await facts.reached("404")
        site.server.answer("/missing", with: .text("found"))
        screen.call = screen.call?.retry()
        await facts.reached("found")
    }

    /// The call is stored by its owner, by nothing, or by something that outlives its owner.
    @Test(arguments: ["owner", "nothing", "other"]) func callEndsWithItsOwner(holder: String) async throws {
        let gate = Gate()
        site.server.answer("/name", with: .text("Ada").held(by: gate))
        let client = site.client(observers: [facts.observer()])
        var other: Call<String>?
        do {
            let screen = Screen(facts)
            let call = request(of: client).start(for: screen, on: .main) { screen, name in screen.show(name) }
            if holder == "owner" { screen.call = call }
            if holder == "other" { other = call }
            try await gate.reached()
        }
        if holder == "owner" { #expect(client.calls.isEmpty) }
        await facts.reached("finished cancelled")
        let connection = try #require(site.server.requests.first).connection
        _ = try await site.server.connectionEnded(connection)
        #expect(!facts.all.contains("Ada"))
        if holder == "other" { #expect(other?.error is CancellationError) }
    }

    /// Nothing stores the call, and the owner waits for it.
    @Test func callWithoutAHandleGoesOnForItsOwner() async throws {
        let gate = Gate()
        site.server.answer("/name", with: .text("Ada").held(by: gate))
        let screen = Screen(facts)
        request().start(for: screen, on: .main) { screen, name in screen.show(name) }
        try await gate.reached()
        gate.open()
        await facts.reached("Ada")
        #expect(screen.name == "Ada")
    }

    enum End: CaseIterable, Sendable {
        case ownerIsGone, cancelled, detached
    }

    /// The call has succeeded, and its callback waits for its turn when something else decides that it must not run.
    @Test(arguments: End.allCases) func callbackThatWaitsDoesNotRun(_ end: End) async throws {
        let held = Mutex<[@Sendable () -> Void]>([])
        let scheduler = Scheduler { work in held.withLock { $0.append(work) } }
        let client = site.client(callbackScheduler: scheduler)
        final class Model: Sendable {}
        var model: Model? = Model()
        let call = request(of: client).start(for: try #require(model)) { [facts] _, name in facts.note(name) }
        for await state in call.states where state.isFinished { break }
        await client.shutdown()
        switch end {
        case .ownerIsGone: model = nil
        case .cancelled: call.cancel()
        case .detached: call.detach()
        }
        let waiting = held.withLock(\.self)
        #expect(!waiting.isEmpty)
        for work in waiting { work() }
        #expect(facts.all.isEmpty)
        #expect(call.state == .finished(.success))
        withExtendedLifetime(model) {}
    }

    @Test func cancelledCallForAnOwnerCallsNothing() async throws {
        let gate = Gate()
        site.server.answer("/name", with: .text("Ada").held(by: gate))
        let screen = Screen(facts)
        let call = request().start(for: screen, on: .main) { screen, name in
            screen.show(name)
        } failure: { screen, error in
            screen.show("\(error)")
        }
        try await gate.reached()
        call.cancel()
        gate.open()
        #expect(try await request().promise.value == "Ada")
        await MainActor.run {}
        #expect(screen.name == "")
    }

    /// A save goes on when its screen is left.
    @Test func detachedCallGoesOnWithoutItsOwner() async throws {
        let gate = Gate()
        site.server.answer("/name", with: .text("Ada").held(by: gate))
        let client = site.client(observers: [facts.observer()])
        do {
            let screen = Screen(facts)
            let call = request(of: client).start(for: screen, on: .main) { screen, name in screen.show(name) }
            call.detach()
            screen.call = call
            try await gate.reached()
        }
        await facts.reached("screen released")
        // Links of a later owner have ended, so owners have been looked at.
        let (source, resolver) = Promise<Void>.pending()
        let link = source.next(for: Screen(Facts()), on: .main) { _, _ in }
        await #expect(throws: CancellationError.self) { try await link.value }
        withExtendedLifetime(resolver) {}
        gate.open()
        await facts.reached("finished success")
        #expect(!facts.all.contains("Ada"))
    }

    @Test func callThatIsRetriedWithoutItsOwnerIsCancelled() async {
        var call: Call<String>?
        do {
            let screen = Screen(facts)
            call = request("/missing").start(for: screen, on: .main) { _, _ in
            } failure: { screen, _ in
                screen.show("failed")
            }
            await facts.reached("failed")
        }
        await facts.reached("screen released")
        #expect(call?.retry().error is CancellationError)
    }

    /// Nothing holds the call, and its callback drops the body.
    @Test(arguments: [false, true]) func streamWithoutAReaderEnds(isDetached: Bool) async throws {
        site.server.answer("/endless", with: .generated(bytes: 1 << 40))
        let screen = Screen(facts)
        let client = site.client(observers: [facts.observer()])
        let request = Fetch<ByteStream>(.get("/endless"), of: client)
        if isDetached {
            request.start(lifetime: .unmanaged).detach()
        } else {
            request.start(for: screen, on: .main) { screen, _ in screen.show("body") }
        }
        await facts.reached { $0.contains { $0.hasPrefix("finished") } }
        while !client.calls.isEmpty { await Task.yield() }
    }

    /// The handle of a streamed call is released at any moment around its response.
    @Test func streamThatIsReleasedAsItsResponseArrivesEnds() async throws {
        site.server.answer("/endless", with: .generated(bytes: 1 << 40))
        let client = site.client()
        for _ in 0..<200 {
            var call: Call<ByteStream>? = Fetch<ByteStream>(.get("/endless"), of: client).start(lifetime: .unmanaged)
            let states = try #require(call).states
            for await state in states where state != .queued { break }
            let turns = Int.random(in: 0..<200)
            for _ in 0..<turns where call?.response == nil {}
            call = nil
        }
        while !client.calls.isEmpty { await Task.yield() }
    }

    // MARK: Promises

    @Test func linksOfAnOwnerEndWithIt() async throws {
        let gate = Gate()
        site.server.answer("/name", with: .text("Ada").held(by: gate))
        let client = site.client(observers: [facts.observer()])
        do {
            let screen = Screen(facts)
            request(of: client).promise
                .next(for: screen, on: .main) { screen, name in screen.show(name) }
                .catch(for: screen, on: .main) { screen, error in screen.show("\(error)") }
                .finally(for: screen, on: .main) { screen in screen.show("finally") }
            try await gate.reached()
        }
        await facts.reached("finished cancelled")
        #expect(facts.all.filter { ["Ada", "finally"].contains($0) }.isEmpty)
    }

    // MARK: Failures that nothing observes

    /// Listens to the reports of failures of a URL.
    private func listen(to url: String, _ note: @escaping @Sendable () -> Void) -> ReportListener {
        ReportListener { report in
            guard (report.error as? RequestError)?.request?.url.absoluteString == url else { return false }
            note()
            return true
        }
    }

    enum Start: CaseIterable, Sendable {
        case plain, callback, owner, storedOwner, released
    }

    @Test(arguments: Start.allCases) func failureWithoutACallbackIsReported(_ start: Start) async throws {
        let url = "\(site.server.url)/missing?start=\(start)"
        let screen = Screen(facts)
        let (reported, resolver) = Promise<Void>.pending()
        let listener = listen(to: url) { resolver.fulfill() }
        defer { listener.stop() }
        // The observer delays the end of the call, after its state has changed.
        let client = site.client(observers: start == .released ? [facts.observer()] : [])
        let request = Fetch<String>(.get("/missing", query: ["start": "\(start)"]), of: client)
        switch start {
        case .plain: request.start()
        case .callback: request.start { _ in }
        case .owner: request.start(for: screen, on: .main) { _, _ in }
        case .storedOwner:
            screen.call = request.start(for: screen, on: .main) { _, _ in }
            for await state in try #require(screen.call).states where state.isFinished { break }
            screen.call = nil
        case .released:
            var call: Call<String>? = request.start(lifetime: .unmanaged)
            for await state in try #require(call).states where state.isFinished { break }
            call = nil
        }
        try await reported.value
    }

    /// A look at the promise makes nothing of a failure that a callback handles.
    @Test(arguments: [false, true]) func promiseOfAHandledFailureIsNotReported(isLate: Bool) async throws {
        let url = "\(site.server.url)/missing?late=\(isLate)"
        let reports = Facts()
        let listener = listen(to: url) { reports.note(url) }
        defer { listener.stop() }
        weak var released: Call<String>?
        do {
            let request = Fetch<String>(.get("/missing", query: ["late": isLate]), of: site.client())
            let call = request.start { _ in
            } failure: { [facts] _ in
                facts.note("failed")
            }
            released = call
            if !isLate { _ = call.promise.isPending }
            await facts.reached("failed")
            for _ in 0..<10 where isLate { #expect(!call.promise.isPending) }
        }
        while released != nil { await Task.yield() }
        #expect(reports.all.isEmpty)
    }

    /// An error that is not there yet was not seen.
    @Test func earlyLookAtTheErrorHandlesNothing() async throws {
        let gate = Gate()
        site.server.answer("/missing", with: Response.status(404).held(by: gate))
        let url = "\(site.server.url)/missing?early=true"
        let (reported, resolver) = Promise<Void>.pending()
        let listener = listen(to: url) { resolver.fulfill() }
        defer { listener.stop() }
        do {
            let call = Fetch<String>(.get("/missing", query: ["early": true]), of: site.client()).start()
            try await gate.reached()
            #expect(call.error == nil)
        }
        gate.open()
        try await reported.value
    }

    /// Each way to see a failure; none is reported.
    @Test(arguments: 0..<8) func failureThatIsSeenIsNotReported(way: Int) async throws {
        let url = "\(site.server.url)/missing?seen=\(way)"
        let reports = Facts()
        let listener = listen(to: url) { reports.note(url) }
        defer { listener.stop() }
        weak var released: Call<String>?
        do {
            let request = Fetch<String>(.get("/missing", query: ["seen": way]), of: site.client())
            if way == 7 { request.watchers = [DelegateObserver(Ends(facts))] }
            let call =
                way == 0
                ? request.start { _ in
                } failure: { _ in
                } : request.start()
            released = call
            switch way {
            case 1: _ = try? await call.value
            case 2: call.promise.catch { _ in }
            case 3: call.detach()
            case 4: call.observe(on: .main, by: Ends(facts))
            case 5:
                call.then { _, _ in
                } failure: { _, _ in
                }
            default: break
            }
            for await state in call.states where state.isFinished { break }
            if way == 6 { #expect(call.error as? RequestError != nil) }
        }
        while released != nil { await Task.yield() }
        #expect(reports.all.isEmpty)
    }

    private final class Ends: CallDelegate {
        let facts: Facts
        init(_ facts: Facts) { self.facts = facts }
    }
}
