import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// The values of requests and calls, and the callbacks that receive both values.
@Suite(.timeLimit(.minutes(20)))
struct CallValuesTests {
    private func primed(_ id: Int = 1) async throws -> (CacheSite, Client) {
        let site = try CacheSite()
        site.server.answer("/item", with: .item(id))
        let client = site.client()
        _ = try await GetItem(client, .reload).promise.value
        return (site, client)
    }

    private func collect(_ values: some AsyncSequence<Item, any Error>) async -> [String] {
        var words: [String] = []
        do {
            for try await item in values { words.append("\(item.id)") }
        } catch {
            words.append(word(.failure(error)))
        }
        return words
    }

    @Test(
        arguments: [
            (.cacheElseNetwork, ["1", "2"]), (.cacheElseNetwork(maxAge: .seconds(5)), ["1", "2"]),
            (.cacheThenNetwork, ["1", "2"]), (.networkElseCache, ["2"]), (.reload, ["2"]), (.networkOnly, ["2"]),
            (.cacheOnly, ["1"]), (.http, ["2"]),
        ] as [(CachePolicy, [String])])
    func requestDeliversItsCachedAndItsNewValue(_ policy: CachePolicy, _ expected: [String]) async throws {
        let (site, client) = try await primed()
        site.server.answer("/item", with: .item(2))
        #expect(await collect(GetItem(client, policy).values) == expected)
    }

    @Test(arguments: [CachePolicy.Write.raw, .model])
    func secondValueIsOmittedIfItIsTheSame(_ write: CachePolicy.Write) async throws {
        let site = try CacheSite()
        site.server.answer("/item", with: .item(1))
        let client = site.client()
        #expect(await collect(GetItem(client, .cacheThenNetwork(write: write)).values) == ["1"])
        #expect(await collect(GetItem(client, .cacheThenNetwork(write: write)).values) == ["1"])
        #expect(site.count == 2)
    }

    final class Length: Request<Int> {
        let owner: Client
        init(_ owner: Client) { self.owner = owner }
        override var client: Client { owner }
        override var endpoint: Endpoint { .head("/item") }
        override var cachePolicy: CachePolicy { .cacheThenNetwork }
        override var serializer: Serializer<Int> {
            Serializer { $0.headers["X-Length"].flatMap { Int($0) } ?? 0 }
        }
    }

    /// Responses to HEAD have no bodies that could be compared.
    @Test func secondValueOfAHeadRequestIsNotOmitted() async throws {
        let site = try CacheSite()
        let client = site.client()
        var lengths: [Int] = []
        for length in [10, 20] {
            site.server.answer("/item", with: .text("").header("X-Length", "\(length)"))
            for try await value in Length(client).values { lengths.append(value) }
        }
        #expect(lengths == [10, 10, 20])
    }

    @Test func errorFollowsTheCachedValue() async throws {
        let (site, client) = try await primed()
        site.server.answer("/item", with: .item(2).status(500))
        #expect(await collect(GetItem(client, .cacheThenNetwork).values) == ["1", "badStatus"])
    }

    @Test func eachIterationStartsACall() async throws {
        let (site, client) = try await primed()
        let values = GetItem(client, .reload).values
        #expect(site.count == 1)
        for _ in 0..<2 { #expect(await collect(values) == ["1"]) }
        #expect(site.count == 3)
    }

    @Test func lateConsumerReceivesAllValues() async throws {
        let (site, client) = try await primed()
        site.server.answer("/item", with: .item(2))
        let call = GetItem(client, .cacheThenNetwork).start()
        for await _ in call.states {}
        #expect(await collect(call.values) == ["1", "2"])
        #expect(try await call.value.id == 1)
        let single = GetItem(client, .cacheElseNetwork).start()
        #expect(await collect(single.values) == ["2"])
        site.server.answer("/item", with: .item(2).status(500))
        let failed = GetItem(client, .cacheThenNetwork).start()
        for await _ in failed.states {}
        #expect(await collect(failed.values) == ["2", "badStatus"])
        #expect(failed.state == .finished(.failure))
        let heard = Facts()
        failed.then(success: { _, _ in heard.note("success") }, failure: { _, _ in heard.note("failure") })
        await heard.reached(count: 2)
        #expect(heard.all == ["success", "failure"])
    }

    @Test func leavingTheValuesOfARequestCancelsIt() async throws {
        let (site, client) = try await primed()
        let gate = Gate()
        site.server.answer("/item", with: .item(2).held(by: gate))
        for try await item in GetItem(client, .cacheThenNetwork).values {
            #expect(item.id == 1)
            try await gate.reached()
            break
        }
        await site.facts.reached("finished cancelled")
        gate.open()
    }

    @Test func iterationThrowsIfItsTaskIsCancelled() async throws {
        let (site, client) = try await primed()
        let gate = Gate()
        site.server.answer("/item", with: .item(2).held(by: gate))
        let request = GetItem(client, .cacheThenNetwork).values
        let following = Task { await collect(request) }
        try await gate.reached()
        following.cancel()
        #expect(await following.value == ["1", "cancelled"])
        await site.facts.reached("finished cancelled")
        gate.open()
    }

    @Test func leavingTheValuesOfACallDoesNotCancelIt() async throws {
        let (site, client) = try await primed()
        let gate = Gate()
        site.server.answer("/item", with: .item(2).held(by: gate))
        let call = GetItem(client, .cacheThenNetwork).start()
        for try await _ in call.values { break }
        gate.open()
        for await _ in call.states {}
        #expect(call.state == .finished(.success))
    }

    @Test func aCallThatIsCancelledEndsItsValues() async throws {
        let (site, client) = try await primed()
        let gate = Gate()
        site.server.answer("/item", with: .item(2).held(by: gate))
        let call = GetItem(client, .reload).start()
        try await gate.reached()
        call.cancel()
        #expect(await collect(call.values) == ["cancelled"])
        gate.open()
    }

    @Test(arguments: [Scheduler.background, .immediate])
    func callbacksReceiveBothValuesInOrder(_ scheduler: Scheduler) async throws {
        let (site, client) = try await primed()
        site.server.answer("/item", with: .item(2))
        for _ in 0..<200 {
            try await GetItem(client, .reload).store(Item(id: 1))
            let heard = Facts()
            let call = GetItem(client, .cacheThenNetwork).start(on: scheduler) { item, _ in heard.note("a\(item.id)") }
            call.then(on: scheduler, success: { item, _ in heard.note("b\(item.id)") })
            await heard.reached(count: 4)
            #expect(heard.all.filter { $0.hasPrefix("a") } == ["a1", "a2"])
            #expect(heard.all.filter { $0.hasPrefix("b") } == ["b1", "b2"])
        }
    }

    /// The last response of the call is that of the refresh, also for joined calls.
    @Test(arguments: [Uniqueness.allow, .join])
    func callHasTheResponseOfAFailedRefresh(_ uniqueness: Uniqueness) async throws {
        let (site, client) = try await primed()
        site.server.answer("/item", with: .item(2).status(500))
        let request = UniqueItem(client, .cacheThenNetwork)
        request.kind = uniqueness
        let call = request.start()
        #expect(await collect(call.values) == ["1", "badStatus"])
        #expect(call.response?.status == 500)
    }

    final class UniqueItem: GetItem {
        var kind = Uniqueness.allow
        override var uniqueness: Uniqueness { kind }
    }

    @Test func callbackAddedWhileTheSecondValueArrivesReceivesBoth() async throws {
        let (site, client) = try await primed()
        site.server.answer("/item", with: .item(2))
        for round in 0..<300 {
            try await GetItem(client, .reload).store(Item(id: 1))
            let heard = Facts()
            let call = GetItem(client, .cacheThenNetwork).start()
            if round % 3 == 0 { await Task.yield() }
            if round % 7 == 0 { for await _ in call.states {} }
            call.then(success: { item, _ in heard.note("\(item.id)") })
            await heard.reached(count: 2)
            #expect(heard.all == ["1", "2"])
        }
    }

    /// A call is finished a moment before its promise has the value.
    @Test func consumerAddedAsACallEndsReceivesAllValues() async throws {
        let (site, client) = try await primed()
        for round in 0..<500 {
            let call = GetItem(client, round % 2 == 0 ? .reload : .cacheThenNetwork).start()
            let promise = call.promise
            let heard = Task {
                while !call.isFinished { await Task.yield() }
                let all = (0..<20).map { _ in call.values.makeAsyncIterator() }
                var heard: Set<[Int?]> = []
                for var values in all { heard.insert([try await values.next()?.id, try await values.next()?.id]) }
                return heard
            }
            #expect(try await heard.value == [[1, nil]])
            #expect(try await promise.value.id == 1)
        }
        #expect(site.count == 501)
    }

    @Test func retryRepeatsACall() async throws {
        let (site, client) = try await primed()
        let call = GetItem(client, .cacheElseNetwork).start()
        #expect(try await call.value.id == 1)
        #expect(try await call.retry().value.id == 1)
        #expect(site.count == 1)
    }
}
