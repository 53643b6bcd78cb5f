import Foundation
import LoopbackServer
import Synchronization
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// Calls that share a transfer.
@Suite(.timeLimit(.minutes(20))) struct JoiningTests {
    let site: Site
    let gate = Gate()

    init() throws {
        site = try Site()
        site.server.answer("/a", with: .json(#"{"id": 1}"#).held(by: gate))
    }

    struct Item: Codable, Sendable, Equatable { let id: Int }

    /// A serializer that counts its runs.
    struct Counting {
        let runs = Facts()
        let serializer: Serializer<Item>

        init() {
            let runs = runs
            serializer = Serializer { response in
                runs.note("made")
                return try JSONDecoder().decode(Item.self, from: response.body)
            }
        }
    }

    /// A request whose serializer counts its runs. Requests with the same serializer share its output.
    final class Counted: Request<Item> {
        let owner: Client
        let counting: Counting
        var fields: Headers = [:]
        var content = Body.none
        init(_ owner: Client, _ counting: Counting = Counting()) {
            self.owner = owner
            self.counting = counting
        }
        override var client: Client { owner }
        override var endpoint: Endpoint { .get("/a") }
        override var headers: Headers { fields }
        override var uniqueness: Uniqueness { .join }
        override var serializer: Serializer<Item> { counting.serializer }
    }

    @Test(arguments: [true, false])
    func identicalCallsShareOneTransferAndOneValue(isObserved: Bool) async throws {
        let (made, heard) = (Counting(), Facts())
        let client = site.client(observers: isObserved ? [heard.observer()] : [])
        let calls = (0..<50).map { _ in Counted(client, made).start() }
        #expect(client.activeCalls == 50)
        gate.open()
        for call in calls { #expect(try await call.value == Item(id: 1)) }
        #expect(site.server.requests.count == 1)
        #expect(made.runs.all == ["made"])
        #expect(calls.allSatisfy { $0.response?.status == 200 })
        await client.shutdown()
        guard isObserved else { return }
        for word in ["willStart", "sending", "response 200", "finished success"] {
            #expect(heard.all.filter { $0 == word }.count == 50, "\(word)")
        }
    }

    @Test func lateJoinerReceivesTheSendingEvent() async throws {
        let (made, heard) = (Counting(), Facts())
        let client = site.client(observers: [heard.observer()])
        let first = Counted(client, made).start()
        try await gate.reached()
        let second = Counted(client, made).start()
        await heard.reached { $0.count { $0 == "sending" } == 2 }
        gate.open()
        for call in [first, second] { #expect(try await call.value == Item(id: 1)) }
        await client.shutdown()
        for word in ["willStart", "sending", "response 200", "finished success"] {
            #expect(heard.all.filter { $0 == word }.count == 2, "\(word)")
        }
    }

    @Test func callsWithOtherOutputsShareOnlyTheTransfer() async throws {
        let made = Counting()
        let client = site.client(uniqueness: .join)
        let item = Counted(client, made).promise
        let data = Fetch<Data>(.get("/a"), of: client).promise
        let text = Fetch<String>(.get("/a"), of: client).promise
        let sugar: Promise<Item> = client.get("/a")
        gate.open()
        #expect(try await item.value == Item(id: 1))
        #expect(try await data.value == Data(#"{"id": 1}"#.utf8))
        #expect(try await text.value == #"{"id": 1}"#)
        #expect(try await sugar.value == Item(id: 1))
        #expect(site.server.requests.count == 1)
        #expect(made.runs.count == 1)
    }

    @Test func differentRequestsAreNotJoined() async throws {
        gate.open()
        site.server.answer("/*", with: .text("a"))
        let client = site.client(uniqueness: .join)
        let held = Gate()
        site.server.answer("/b", with: .text("b").held(by: held))
        let french = Fetch<String>(.get("/b"), of: client)
        french.fields = ["Accept-Language": "fr"]
        let calls = [
            Fetch<String>(.get("/b"), of: client).start(), french.start(),
            Fetch<String>(.get("/b", query: ["c": 1]), of: client).start(),
            Fetch<String>(.post("/b", body: .string("d")), of: client).start(),
            Fetch<String>(.post("/b", body: .string("d")), of: client).start(),
        ]
        try await held.reached(count: 5)
        held.open()
        for call in calls { #expect(try await call.value == "b") }
        #expect(site.server.requests.count == 5)
    }

    /// `é` as one scalar and as two: equal strings that are sent as different bytes.
    @Test func canonicallyEquivalentRequestsAreNotJoined() async throws {
        let composed = "caf\u{E9}"
        let decomposed = "cafe\u{301}"
        let held = Gate()
        site.server.answer("/*", with: .text("b").held(by: held))
        let client = site.client(uniqueness: .join)
        func fetch(
            _ path: String = "/b", query: Query = [:], fields: Headers = [:], tags: Set<String> = [],
            name: String? = nil
        ) -> Fetch<String> {
            let request = Fetch<String>(.get(path, query: query), of: client)
            request.fields = fields
            request.words = tags
            request.name = name
            return request
        }
        var requests: [Fetch<String>] = []
        for text in [composed, decomposed] {
            requests += [
                fetch("/\(text)"), fetch(query: ["q": text]), fetch(fields: ["X-City": text]), fetch(tags: [text]),
                fetch(name: text),
            ]
        }
        let calls = requests.map { $0.start() }
        try await held.reached(count: calls.count)
        held.open()
        for call in calls { #expect(try await call.value == "b") }
        let targets = Set(site.server.requests.map(\.target))
        #expect(targets.isSuperset(of: ["/caf%C3%A9", "/cafe%CC%81", "/b?q=caf%C3%A9", "/b?q=cafe%CC%81"]))
        let cities = site.server.requests.compactMap { $0.headers["X-City"] }
        #expect(Set(cities.map { Array($0.utf8) }) == [Array(composed.utf8), Array(decomposed.utf8)])
    }

    @Test func callsWithOtherSerializersShareOnlyTheTransfer() async throws {
        site.server.answer("/a", with: .json(#"{"a": "one", "b": "two"}"#).held(by: gate))
        let client = site.client(uniqueness: .join)
        let first = Fetch<String>(.get("/a"), of: client, by: .json(at: "a")).promise
        let second = Fetch<String>(.get("/a"), of: client, by: .json(at: "b")).promise
        let strict = Fetch<String>(.get("/a"), of: client, by: .json(at: "a"))
        strict.rules = .status(300..<400)
        let third = strict.promise
        gate.open()
        #expect(try await first.value == "one")
        #expect(try await second.value == "two")
        #expect(await refusal(of: third)?.code == .badStatus)
        #expect(site.server.requests.count == 1)
    }

    @Test func callsWithOtherTagsAreNotJoined() async throws {
        gate.open()
        let client = site.client(uniqueness: .join)
        let held = Gate()
        site.server.answer("/a", with: .text("a").held(by: held))
        let tagged = Fetch<String>(.get("/a"), of: client)
        tagged.words = ["admin"]
        let promises = [tagged.promise, Fetch<String>(.get("/a"), of: client).promise]
        try await held.reached(count: 2)
        held.open()
        for promise in promises { #expect(try await promise.value == "a") }
    }

    @Test func endedTransferIsNotJoined() async throws {
        gate.open()
        let client = site.client()
        for _ in 0..<3 { #expect(try await Counted(client).promise.value == Item(id: 1)) }
        #expect(site.server.requests.count == 3)
    }

    @Test func cancelledCallDoesNotAffectOtherWaiters() async throws {
        let client = site.client()
        let calls = (0..<5).map { _ in Counted(client).start() }
        let promises = calls.map(\.promise)
        try await gate.reached()
        // The first call started the transfer.
        for call in calls[..<4] { call.cancel() }
        for promise in promises[..<4] { #expect(await isCancelled(promise)) }
        gate.open()
        #expect(try await promises[4].value == Item(id: 1))
        #expect(site.server.requests.count == 1)
    }

    @Test func lastWaiterThatLeavesCancelsTheTransfer() async throws {
        let client = site.client()
        let calls = (0..<5).map { _ in Counted(client).start() }
        try await gate.reached()
        for call in calls { call.cancel() }
        _ = try await site.server.connectionEnded(0)
        gate.open()
        // A new call does not join the cancelled transfer.
        #expect(try await Counted(client).promise.value == Item(id: 1))
        #expect(site.server.requests.count == 2)
    }

    @Test func allWaitersReceiveTheError() async throws {
        site.server.answer("/a", with: .json("{}", status: 503).held(by: gate))
        let client = site.client()
        let calls = (0..<5).map { _ in Counted(client).start() }
        gate.open()
        for call in calls {
            let error = await refusal(of: call.promise)
            #expect(error?.code == .badStatus)
            #expect(error?.response?.status == 503)
        }
        #expect(site.server.requests.count == 1)
    }

    @Test func timeoutOfOneWaiterDoesNotAffectTheOther() async throws {
        let clock = ManualClock()
        let client = site.client(clock: clock)
        let impatient = Fetch<Item>(.get("/a"), of: client)
        impatient.kind = .join
        // Calls share a transfer only if their connect and idle timeouts are equal.
        impatient.times = .patient
        impatient.times?.total = .seconds(5)
        let patient = Fetch<Item>(.get("/a"), of: client)
        patient.kind = .join
        let (first, second) = (impatient.promise, patient.promise)
        try await gate.reached()
        clock.advance(by: .seconds(6))
        #expect(await refusal(of: first)?.code == .totalTimedOut)
        gate.open()
        #expect(try await second.value == Item(id: 1))
        #expect(site.server.requests.count == 1)
    }

    @Test func shutdownFailsAllWaiters() async throws {
        let client = site.client()
        let calls = (0..<20).map { _ in Counted(client).start() }
        try await gate.reached()
        await client.shutdown()
        for call in calls { #expect(await refusal(of: call.promise)?.code == .shutDown) }
        gate.open()
    }

    @Test func allWaitersReceiveTheProgress() async throws {
        let client = site.client(uniqueness: .join)
        site.server.answer("/long", with: .generated(bytes: 300_000).held(by: gate, at: .responseBody))
        let calls = (0..<3).map { _ in Fetch<Data>(.get("/long"), of: client).start() }
        let progress = calls.map(\.progress)
        gate.open()
        for progress in progress {
            var last = CallProgress()
            for await value in progress { last = value }
            #expect(last.received == 300_000 && last.receivedTotal == 300_000)
        }
        #expect(site.server.requests.count == 1)
    }

    /// Closures cannot be compared, so each call makes its own output of the shared response.
    @Test func callsWithOtherClosuresShareOnlyTheTransfer() async throws {
        final class Scaled: Request<Int> {
            let owner: Client
            let factor: Int
            init(_ owner: Client, by factor: Int) {
                self.owner = owner
                self.factor = factor
            }
            override var client: Client { owner }
            override var endpoint: Endpoint { .get("/a") }
            override var uniqueness: Uniqueness { .join }
            override var serializer: Serializer<Int> { Serializer { [factor] in $0.body.count * factor } }
        }
        let client = site.client()
        let promises = (1...3).map { Scaled(client, by: $0).promise }
        gate.open()
        let size = #"{"id": 1}"#.utf8.count
        #expect(try await Promise.all(promises).value == [size, 2 * size, 3 * size])
        #expect(site.server.requests.count == 1)
    }

    /// Counts how often it is decoded.
    private struct Tallied: Decodable, Sendable {
        static let decodings = Facts()
        let id: Int

        private enum Key: CodingKey { case id }

        init(from decoder: any Decoder) throws {
            id = try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .id)
            Self.decodings.note("\(id)")
        }
    }

    @Test func defaultSerializerIsRunOnce() async throws {
        let client = site.client(uniqueness: .join)
        let promises: [Promise<Tallied?>] = (0..<5).map { _ in client.get("/a") }
        gate.open()
        for promise in promises { #expect(try await promise.value?.id == 1) }
        #expect(site.server.requests.count == 1)
        #expect(Tallied.decodings.count == 1)
    }

    @Test func thousandsOfCallsShareOneTransfer() async throws {
        let client = site.client()
        let made = Counting()
        let promises = (0..<10_000).map { _ in Counted(client, made).promise }
        gate.open()
        let items = try await Promise.all(promises).value
        #expect(items.count == 10_000 && Set(items.map(\.id)) == [1])
        #expect(site.server.requests.count == 1)
        #expect(made.runs.count == 1)
        await client.shutdown()
        #expect(client.activeCalls == 0)
    }

    @Test(arguments: 1...4)
    func everyCallSettlesUnderConcurrentCancellation(seed: UInt64) async throws {
        site.server.answer("/a", with: .json(#"{"id": 1}"#))
        let client = site.client()
        let settled = Facts()
        await withTaskGroup { group in
            for worker in 0..<4 {
                group.addTask {
                    var dice = SettlementStressTests.Dice(state: seed &* 1000 &+ UInt64(worker))
                    for _ in 0..<100 {
                        let call = Counted(client).start()
                        let promise = call.promise
                        switch Int.random(in: 0..<4, using: &dice) {
                        case 0: call.cancel()
                        case 1: Thread.detachNewThread { call.cancel() }
                        default: break
                        }
                        _ = await promise.result
                        settled.note("")
                    }
                }
            }
        }
        #expect(settled.count == 400)
        await client.shutdown()
        #expect(client.calls.isEmpty)
    }
}
