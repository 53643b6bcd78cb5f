import Foundation
import LoopbackServer
import Synchronization
import TangoAuth
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

@Suite(.timeLimit(.minutes(20)))
struct ClientTests {
    // MARK: Calls in flight

    @Test func callsAreListedInOrderWithTheirTags() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer(with: .text("a").held(by: gate))
        let client = site.client()
        let calls = (0..<5).map { number in
            let request = Fetch<String>(.get("/\(number)"), of: client)
            request.words = number % 2 == 0 ? ["even", "n\(number)"] : ["odd"]
            return request.start()
        }
        #expect(client.calls.map(\.id) == calls.map(\.id))
        #expect(client.calls.map(\.name) == (0..<5).map { "GET /\($0)" })
        #expect(client.calls[2].tags == ["even", "n2"])
        #expect(client.activeCalls == 5)
        client.cancelAll(tagged: "even")
        #expect(client.calls.map(\.id) == [calls[1].id, calls[3].id])
        #expect(calls.map(\.isFinished) == [true, false, true, false, true])
        client.cancelAll()
        #expect(client.calls.isEmpty)
        for call in calls { #expect(await isCancelled(call.promise)) }
        gate.open()
    }

    @Test func callsWithATagAreCancelledInTheOrderOfTheirStarts() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer(with: .text("a").held(by: gate))
        let cancelled = Facts()
        let client = site.client()
        let calls = (0..<20).map { number in
            let request = Fetch<String>(.get("/\(number)"), of: client)
            request.words = ["all", number < 10 ? "early" : "late"]
            let call = request.start()
            call.promise.finally(on: .immediate) { cancelled.note("\(number)") }
            return call
        }
        calls[3].cancel()
        client.cancelAll(tagged: "none")
        client.cancelAll(tagged: "early")
        #expect(client.activeCalls == 10)
        client.cancelAll(tagged: "early")
        client.cancelAll(tagged: "all")
        #expect(client.activeCalls == 0)
        #expect(cancelled.all == ([3, 0, 1, 2] + Array(4..<20)).map { "\($0)" })
        // A tag whose calls have ended may be used again.
        let request = Fetch<String>(.get("/again"), of: client)
        request.words = ["early"]
        let again = request.start()
        client.cancelAll(tagged: "late")
        #expect(client.activeCalls == 1)
        client.cancelAll(tagged: "early")
        #expect(again.isFinished)
        gate.open()
    }

    @Test func clientIsActiveFromTheFirstCallToTheLast() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer(with: .text("a").held(by: gate))
        let client = site.client()
        var active = client.isActive.makeAsyncIterator()
        #expect(await active.next() == false)
        let calls = (0..<3).map { _ in Fetch<String>(.get("/a"), of: client).start() }
        #expect(await active.next() == true)
        #expect(Client.activeCalls >= 3)
        gate.open()
        for call in calls { _ = try await call.value }
        #expect(await active.next() == false)
        #expect(client.activeCalls == 0)
    }

    @Test func followersWhoComeWhileCallsAreInFlightAreToldSo() async throws {
        let site = try Site()
        let gates = [Gate(), Gate()]
        for (number, gate) in gates.enumerated() {
            site.server.answer("/\(number)", with: .text("a").held(by: gate))
        }
        let client = site.client()
        // Before anything follows, a call has come and gone.
        site.server.answer("/a", with: .text("a"))
        _ = try await Fetch<String>(.get("/a"), of: client).promise.value
        var followers: [AsyncMapSequence<AsyncStream<Int>, Bool>.Iterator] = []
        for (number, gate) in gates.enumerated() {
            let call = Fetch<String>(.get("/\(number)"), of: client).start()
            followers.append(client.isActive.makeAsyncIterator())
            #expect(await followers[number].next() == true)
            for place in 0..<number { #expect(await followers[place].next() == true) }
            gate.open()
            _ = try await call.value
            for place in 0...number { #expect(await followers[place].next() == false) }
        }
        var late = client.isActive.makeAsyncIterator()
        #expect(await late.next() == false)
    }

    #if os(Linux)
        /// Runs in a child process, so that the observed calls share nothing with calls of other tests.
        @Test func allClientsAreObservedUntilTheObservationEnds() async throws {
            let child = try await RequestChild("observed")
            #expect(child["done"] == "yes")
            #expect(child["endings"] == "client,all,client", "\(child.facts)")
            #expect(child["closures"] == "closure")
            #expect(child["ended"] == "false")
        }
    #endif

    // MARK: Shutdown

    @Test func shutdownFailsAllCallsAndRejectsLaterOnes() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/held", with: .text("a").held(by: gate))
        site.server.answer("/a", with: .text("a"))
        let facts = Facts()
        let client = site.client(observers: [facts.observer()])
        let other = site.client()
        let ours = (0..<10).map { _ in
            Fetch<String>(.get("/held"), of: client).start { _, _ in
                facts.note("callback success")
            } failure: { error, _ in
                facts.note("callback \((error as? RequestError)?.code.rawValue ?? "")")
            }
        }
        let promises = ours.map(\.promise)
        let theirs = Fetch<String>(.get("/held"), of: other).start()
        try await gate.reached(count: 11)
        await client.shutdown()
        #expect(client.calls.isEmpty)
        #expect(ours.allSatisfy { $0.state == .finished(.failure) })
        for promise in promises {
            let error = try #require(await refusal(of: promise))
            #expect(error.code == .shutDown)
            #expect(error.request?.url == site.server.url("/held"))
        }
        await facts.reached { $0.count { $0 == "callback shutDown" } == 10 }
        let late = try #require(await refusal(of: Fetch<String>(.get("/a"), of: client).promise))
        #expect(late.code == .shutDown)
        #expect(late.phase == .prepare)
        #expect(theirs.state == .running)
        gate.open()
        #expect(try await theirs.value == "a")
        #expect(try await other.get("/a", as: String.self).value == "a")
        await client.shutdown()
    }

    @Test func shutdownWhileCallsBeginLeavesNoCall() async throws {
        let site = try Site()
        site.server.answer(with: .text("a"))
        for _ in 0..<20 {
            let client = site.client()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<10 { _ = try? await client.get("/a", as: String.self).value }
                    }
                }
                group.addTask { await client.shutdown() }
            }
            #expect(client.calls.isEmpty)
        }
    }

    @Test func shutdownReturnsWhenEveryPromiseHasSettled() async throws {
        let site = try Site()
        site.server.answer(with: .text("a"))
        for _ in 0..<50 {
            let client = site.client()
            let settled = Mutex(0)
            let calls = (0..<8).map { _ in Fetch<String>(.get("/a"), of: client).start() }
            for call in calls {
                call.promise.finally(on: .immediate) { settled.withLock { $0 += 1 } }.catch { _ in }
            }
            await client.shutdown()
            #expect(settled.withLock { $0 } == 8)
        }
    }

    // MARK: Timeouts

    @Test func totalTimeoutIsExact() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .text("a").held(by: gate))
        let clock = ManualClock()
        let times = Timeouts(connect: .seconds(600), idle: .seconds(600), total: .seconds(10))
        let client = site.client(timeouts: times, clock: clock)
        let call = Fetch<String>(.get("/a"), of: client).start()
        try await gate.reached()
        clock.advance(by: .milliseconds(9999))
        await clock.sleepers()
        #expect(call.state == .running)
        clock.advance(by: .milliseconds(1))
        let error = try #require(await refusal(of: call.promise))
        #expect(error.code == .totalTimedOut)
        #expect(error.request?.url == site.server.url("/a"))
        #expect(call.state == .finished(.failure))
        let connection = try #require(site.server.requests.first).connection
        _ = try await site.server.connectionEnded(connection)
    }

    @Test func clockMayBeAdvancedRightAfterTheStart() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .text("a").held(by: gate))
        let clock = ManualClock()
        let request = Fetch<String>(.get("/a"), of: site.client(clock: clock))
        request.times = Timeouts(total: .seconds(1))
        let promise = request.promise
        clock.advance(by: .seconds(1))
        #expect(await refusal(of: promise)?.code == .totalTimedOut)
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.max / 4), .seconds(200 * 365 * 86_400)])
    func hugeTotalTimeoutNeverEnds(total: Duration) async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a"))
        for clock in [ContinuousClock(), ManualClock()] as [any Clock<Duration>] {
            let client = site.client(timeouts: Timeouts(total: total), clock: clock)
            #expect(try await client.get("/a", as: String.self).value == "a")
        }
    }

    static let spentTimes: [Duration] = [.zero, .nanoseconds(-1), .seconds(-1), .seconds(Int64.min)]

    @Test(arguments: spentTimes, [Uniqueness.allow, .join, .reject])
    func callWithoutTimeLeftIsNotSent(total: Duration, uniqueness: Uniqueness) async throws {
        let site = try Site()
        let facts = Facts()
        for observers in [[], [facts.observer()]] {
            let client = site.client(observers: observers, uniqueness: uniqueness)
            let request = Fetch<String>(.get("/a"), of: client)
            request.times = Timeouts(total: total)
            let call = request.start()
            #expect(call.state == .finished(.failure))
            let error = try #require(await refusal(of: call.promise))
            #expect(error.code == .totalTimedOut)
            #expect(error.phase == .prepare)
            #expect(
                error.detail
                    == "nothing was sent, because Timeouts.total is \(total.text): set more than zero, or nil for no limit"
            )
            let raw = site.client(timeouts: Timeouts(total: total), observers: observers, uniqueness: uniqueness)
            let url = site.server.url("/a")
            #expect(await refusal(of: { try await raw.send(HTTPRequest(url: url)) })?.code == .totalTimedOut)
            #expect(raw.activeCalls + client.activeCalls == 0)
        }
        #expect(facts.all == ["willStart", "finished failure", "willStart", "finished failure"])
        #expect(site.server.connections.accepted == 0)
    }

    @Test func callWithoutTimeLeftReplacesNoOther() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .text("a").held(by: gate))
        let client = site.client(uniqueness: .replace)
        let first = Fetch<String>(.get("/a"), of: client).start()
        try await gate.reached()
        let late = Fetch<String>(.get("/a"), of: client)
        late.times = Timeouts(total: .zero)
        #expect(await refusal(of: late.promise)?.code == .totalTimedOut)
        gate.open()
        #expect(try await first.value == "a")
    }

    // MARK: HTTP messages

    @Test(arguments: [200, 204, 304, 404, 500])
    func messagesAreSentAndReceivedVerbatim(status: Int) async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("body", status: status).header("X-A", "1").header("x-a", "2"))
        let client = site.client(headers: ["X-Client": "1"], validation: .status(200..<201), errorSerializer: nil)
        let request = HTTPRequest(
            method: HTTPMethod("PURGE"), url: site.server.url("/a?x=1"), headers: ["X-B": "2", "X-b": "3"],
            body: .string("hi"))
        let response = try await client.send(request)
        #expect(response.status.code == status)
        #expect(response.headers.all("X-A") == ["1", "2"])
        #expect(String(decoding: response.body, as: UTF8.self) == (status == 204 || status == 304 ? "" : "body"))
        let seen = try #require(site.server.requests.first)
        #expect(seen.method == "PURGE")
        #expect(seen.target == "/a?x=1")
        #expect(seen.text == "hi")
        #expect(seen.headers.all("X-B") == ["2", "3"])
        #expect(seen.headers["X-Client"] == nil)
    }

    @Test func messagesPassTheInterceptors() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a"))
        let facts = Facts()
        let client = site.client(interceptors: [Twice()], observers: [facts.observer()])
        _ = try await client.send(HTTPRequest(url: site.server.url("/a")))
        #expect(site.server.requestCount == 2)
        #expect(facts.all.last == "finished success")
    }

    @Test func aResponseMayBeStreamed() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .generated(bytes: 1_000_000).held(by: gate, at: .responseBody))
        let client = site.client()
        let response = try await client.send(HTTPRequest(url: site.server.url("/a")), delivery: .stream)
        #expect(response.isStreaming)
        gate.open()
        var count = 0
        for try await portion in response.stream { count += portion.count }
        #expect(count == 1_000_000)
        #expect(response.stream.ending != nil)
    }

    @Test(arguments: [true, false])
    func openStreamsEndWithTheClient(isShutDown: Bool) async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .generated(bytes: 1_000_000).held(by: gate, at: .responseBody))
        let client = site.client()
        let response = try await client.send(HTTPRequest(url: site.server.url("/a")), delivery: .stream)
        var portions = response.stream.makeAsyncIterator()
        _ = try await portions.next()
        if isShutDown { await client.shutdown() } else { client.cancelAll() }
        var caught: (any Error)?
        do {
            while try await portions.next() != nil {}
        } catch {
            caught = error
        }
        #expect(isShutDown ? (caught as? RequestError)?.code == .shutDown : caught is CancellationError)
        let connection = try #require(site.server.requests.first).connection
        _ = try await site.server.connectionEnded(connection)
    }

    @Test(arguments: [false, true])
    func unreadStreamClosesItsConnection(isObserved: Bool) async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: .generated(bytes: 1_000_000).held(by: gate, at: .responseBody))
        let client = site.client(timeouts: .none, observers: isObserved ? [Facts().observer()] : [])
        _ = try await client.send(HTTPRequest(url: site.server.url("/a")), delivery: .stream)
        let connection = try #require(site.server.requests.first).connection
        _ = try await site.server.connectionEnded(connection)
    }

    // MARK: Convenience

    @Test func requestsNeedNoClass() async throws {
        let site = try Site()
        site.server.answer { .json(#"{"id":1,"name":"\#($0.method) \#($0.target) \#($0.text)"}"#) }
        let client = site.client()
        func name(_ promise: Promise<Person>) async throws -> String { try await promise.value.name }
        #expect(try await name(client.get("/a", query: ["x": 1])) == "GET /a?x=1 ")
        #expect(try await name(client.post("/a", body: .string("b"))) == "POST /a b")
        #expect(try await name(client.put("/a", body: .string("b"))) == "PUT /a b")
        #expect(try await name(client.patch("/a", body: .string("b"))) == "PATCH /a b")
        #expect(try await name(client.delete("/a")) == "DELETE /a ")
        #expect(try await name(client.request(.get("/a"))) == "GET /a ")
        #expect(try await client.request(.get("/a"), as: Int.self, serializer: .json(at: "id")).value == 1)
    }

    @Test func basicAuthorizationEncodesUserAndPassword() async throws {
        let site = try Site()
        site.server.answer("/a", with: .status(204))
        let client = site.client(headers: .basicAuthorization(user: "Aladdin", password: "open sesame"))
        try await client.get("/a", as: Void.self).value
        #expect(site.server.requests.first?.headers["Authorization"] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        #expect(Headers.basicAuthorization(user: "ü", password: "")["Authorization"] == "Basic w7w6")
    }
}
