import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TangoTransport
@testable import TestSupport

/// The total time of a call, which covers all that the call does. Its error says how far the call has come.
@Suite(.timeLimit(.minutes(20))) struct DeadlineTests {
    typealias Kind = TransportUnderTest

    private let clock = ManualClock()

    private func client(
        _ transport: any Transport, _ server: LoopbackServer, _ change: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        Client(baseURL: server.url) {
            $0.transport = transport
            $0.clock = clock
            $0.timeouts = Timeouts(connect: nil, idle: nil, total: .seconds(10))
            change(&$0)
        }
    }

    /// Starts a request, waits until it has come as far as a condition says, and returns the error of its deadline.
    private func expired<Output>(
        _ request: Request<Output>, when condition: (CallCore) -> Bool
    ) async throws -> RequestError {
        let call = request.start()
        while !condition(call.core), !call.isFinished { await Task.yield() }
        clock.advance(by: .seconds(10))
        let error = try #require(await refusal(of: call.promise))
        #expect(error.code == .totalTimedOut)
        #expect(error.request != nil)
        return error
    }

    private static func reached(_ phase: RequestError.Phase) -> @Sendable (CallCore) -> Bool {
        { $0.transportProgress.phase == phase }
    }

    /// The policy serves the cached response in place of the error, which is that of the attempt.
    @Test(arguments: [Uniqueness.allow, .join])
    func attemptBehindACachedResponseHasTheError(_ uniqueness: Uniqueness) async throws {
        let site = try Site()
        let gate = Gate()
        site.server.enqueue(.text("a"), .text("b").held(by: gate))
        let client = Client(baseURL: site.server.url, cache: MemoryStore()) {
            $0.clock = clock
            $0.cachePolicy = .networkElseCache
            $0.uniqueness = uniqueness
            $0.timeouts = Timeouts(connect: nil, idle: nil, total: .seconds(10))
        }
        _ = try await Fetch<String>(.get("/a"), of: client).promise.value
        let call = Fetch<String>(.get("/a"), of: client).start()
        try await gate.reached()
        clock.advance(by: .seconds(10))
        #expect(try await call.value == "a")
        gate.open()
        await client.shutdown()
        #expect(call.attempts.count == 1)
        #expect((call.attempts.first?.error as? RequestError)?.code == .totalTimedOut)
    }

    /// A store that never finds an entry, nor heeds that its caller was cancelled.
    private final class SilentStore: CacheStore {
        let reading = Gate()

        func get(_ key: CacheKey) async throws -> CacheEntry? {
            await Task { try? await reading.opened() }.value
            return nil
        }

        func set(_ entry: CacheEntry, for key: CacheKey) async throws {}
        func remove(_ key: CacheKey) async throws {}
        func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {}
        func entries() -> CacheEntries { MemoryStore().entries() }
    }

    /// The deadline passes while the server or the store does not respond.
    @Test(arguments: ["server", "store"])
    func silentStoreDoesNotHoldUpTheFallback(_ silent: String) async throws {
        let site = try Site()
        let (store, gate) = (SilentStore(), Gate())
        let shared = SharedStore.of(store, waitLimit: .seconds(3))
        if silent == "server" {
            site.server.answer("/a", with: .text("a").held(by: gate))
        } else {
            site.server.answer("/a", with: .text("a").status(503))
        }
        let client = Client(baseURL: site.server.url, cache: store) {
            $0.clock = clock
            $0.cachePolicy = .networkElseCache
            $0.timeouts = Timeouts(connect: nil, idle: nil, total: .seconds(10))
        }
        let call = Fetch<String>(.get("/a"), of: client).start()
        if silent == "server" {
            try await gate.reached()
            clock.advance(by: .seconds(10))
        }
        try await store.reading.reached()
        clock.advance(by: silent == "server" ? shared.waitLimit : .seconds(10))
        let error = try #require(await refusal(of: call.promise))
        #expect(error.code == .totalTimedOut)
        #expect(error.phase == (silent == "server" ? .wait : .decode))
        store.reading.open()
        gate.open()
    }

    @Test func connectingIsNamed() async throws {
        let listener = try FullListener()
        let client = Client {
            $0.clock = clock
            $0.timeouts = Timeouts(connect: nil, idle: nil, total: .seconds(10))
        }
        let request = Fetch<Data>(.get(listener.url.absoluteString), of: client)
        let error = try await expired(request, when: Self.reached(.connect))
        #expect(error.phase == .connect)
        #expect(error.detail.contains("(no connection was established)"))
    }

    @Test(arguments: Kind.all) func sendingIsNamed(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: Response.text("ok").failing(.stall, at: .requestBody))
            let request = Fetch<Data>(
                .post("/a", body: .data(Data(count: 30_000_000))), of: client(transport, server))
            let error = try await expired(request) {
                $0.transportProgress.phase == .send && $0.transportProgress.ofAttempt.sent > 0
            }
            #expect(error.phase == .send)
            #expect(error.detail.contains(" of 30000000 bytes of the request's body were sent"))
        }
    }

    @Test(arguments: Kind.all) func waitingIsNamed(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            let gate = Gate()
            server.answer(with: Response.text("ok").held(by: gate))
            let call = Fetch<Data>(.get("/a"), of: client(transport, server)).start()
            try await gate.reached()
            clock.advance(by: .seconds(10))
            let error = try #require(await refusal(of: call.promise))
            #expect(error.phase == .wait)
            #expect(error.response == nil)
            gate.open()
        }
    }

    @Test(arguments: Kind.all, [false, true]) func receivingIsNamed(_ kind: Kind, isObserved: Bool) async throws {
        try await kind.run { transport, server in
            server.answer(with: Response.generated(bytes: 10_000).failing(.stall, at: .responseBody))
            let client = client(transport, server) { if isObserved { $0.observe { _ in } } }
            let error = try await expired(Fetch<Data>(.get("/a"), of: client)) {
                $0.transportProgress.ofAttempt.received == 5_000
            }
            #expect(error.phase == .receive)
            #expect(error.detail.contains("bytes of the response's body had arrived"))
            #expect(error.detail.contains("(5000 "))
        }
    }

    @Test(arguments: Kind.all) func streamedBodyIsNamed(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: Response.generated(bytes: 10_000).failing(.stall, at: .responseBody))
            let client = client(transport, server)
            let response = try await client.send(HTTPRequest(.get, server), delivery: .stream)
            let call = try #require(client.calls.first)
            while call.core.transportProgress.ofAttempt.received < 5_000 { await Task.yield() }
            clock.advance(by: .seconds(10))
            let error = try await failure { for try await _ in response.stream {} }
            #expect(error.code == .totalTimedOut)
            #expect(error.phase == .receive)
            #expect(error.response?.status == 200)
            #expect(error.detail.contains("(5000 "))
        }
    }

    @Test func queueIsNamed() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let limiter = Limiter()
        limiter.suspend()
        let client = Client(baseURL: server.url) {
            $0.clock = clock
            $0.timeouts.total = .seconds(10)
            $0.limiter = limiter
        }
        for uniqueness in [Uniqueness.allow, .join] {
            let request = Fetch<Data>(.get("/a"), of: client.with { $0.uniqueness = uniqueness })
            let error = try await expired(request) { _ in limiter.waiting > 0 }
            #expect(error.phase == .prepare)
            #expect(error.detail.contains("(it waited for a slot of its limiter)"))
            while limiter.waiting > 0 { await Task.yield() }
        }
        #expect(server.connections.accepted == 0)
    }

    @Test(arguments: Kind.all) func queueOfTheTransportIsNamed(_ kind: Kind) async throws {
        try await kind.run(.init(limit: 1)) { transport, server in
            let gate = Gate()
            server.answer("/held", with: Response.text("held").held(by: gate))
            let first = Task { try await transport.send(HTTPRequest(.get, server, "/held")) }
            try await gate.reached()
            let error = try await expired(
                Fetch<Data>(.get("/a"), of: client(transport, server)), when: Self.reached(.prepare))
            #expect(error.phase == .prepare)
            #expect(error.detail.contains("(it waited for the transport, and nothing was sent)"))
            gate.open()
            _ = try await first.value
        }
    }

    @Test(arguments: Kind.all, ["retry", "redirect"])
    func laterAttemptsAreNamed(_ kind: Kind, _ cause: String) async throws {
        try await kind.run { transport, server in
            let gate = Gate()
            if cause == "retry" {
                server.enqueue(Response.text("first", status: 503), Response.text("ok").held(by: gate))
            } else {
                server.answer("/a", with: .redirect(to: "/b"))
                server.answer("/b", with: Response.text("ok").held(by: gate))
            }
            let client = client(transport, server) {
                $0.retryPolicy = .custom { _ in .zero }
                // Observed calls know the response of the first attempt.
                $0.observe { _ in }
            }
            let call = Fetch<Data>(.get("/a"), of: client).start()
            try await gate.reached()
            clock.advance(by: .seconds(10))
            let error = try #require(await refusal(of: call.promise))
            #expect(error.code == .totalTimedOut)
            #expect(error.phase == .wait)
            #expect(error.detail.contains("(attempt 2: no "))
            #expect(error.response == nil)
            gate.open()
        }
    }

    /// The numbers of an attempt do not include those of the attempt before it.
    @Test(arguments: Kind.all) func bytesAreThoseOfTheLastAttempt(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.enqueue(
                Response.generated(bytes: 9_000).status(503),
                Response.generated(bytes: 2_000).failing(.stall, at: .responseBody))
            let client = client(transport, server) { $0.retryPolicy = .custom { _ in .zero } }
            let error = try await expired(Fetch<Data>(.get("/a"), of: client)) {
                $0.attemptCount == 2 && $0.transportProgress.ofAttempt.received == 1_000
            }
            #expect(error.phase == .receive)
            #expect(error.detail.contains("(attempt 2: 1000 "))
        }
    }

    @Test func decodingIsNamed() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.answer(with: .text("ok"))
        let client = Client(baseURL: server.url) {
            $0.clock = clock
            $0.timeouts.total = .seconds(10)
        }
        let (decoding, mayGoOn) = (Recorded<HTTPStatus>(), DispatchSemaphore(value: 0))
        defer { mayGoOn.signal() }
        let request = Fetch<Data>(.get("/a"), of: client)
        request.form = Serializer { response in
            decoding.add(response.status)
            mayGoOn.wait()
            return response.body
        }
        let call = request.start()
        while decoding.all.isEmpty { await Task.yield() }
        clock.advance(by: .seconds(10))
        let error = try #require(await refusal(of: call.promise))
        #expect(error.phase == .decode)
        #expect(error.response?.body == Data("ok".utf8))
        #expect(error.detail.contains("(the response had arrived, and was not decoded)"))
    }

    @Test func joinedCallNamesWhatItsTransferDoes() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let gate = Gate()
        server.answer(with: Response.text("ok").held(by: gate))
        let client = Client(baseURL: server.url) {
            $0.clock = clock
            $0.uniqueness = .join
            $0.timeouts = .patient
        }
        let patient = Fetch<Data>(.get("/a"), of: client).start()
        try await gate.reached()
        let request = Fetch<Data>(.get("/a"), of: client)
        request.times = .patient
        request.times?.total = .seconds(10)
        let call = request.start()
        while call.core.state.withLock(\.work.flight) == nil { await Task.yield() }
        clock.advance(by: .seconds(10))
        let error = try #require(await refusal(of: call.promise))
        #expect(error.phase == .wait)
        gate.open()
        _ = try await patient.value
    }
}
