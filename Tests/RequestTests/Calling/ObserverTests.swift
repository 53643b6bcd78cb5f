import LoopbackServer
import Synchronization
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

@Suite(.timeLimit(.minutes(20)))
struct ObserverTests {
    @Test func observersOfTheRequestAreNotifiedBeforeThoseOfTheClient() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a"))
        let facts = Facts()
        let request = Fetch<String>(.get("/a"), of: site.client(observers: [facts.observer("client")]))
        request.watchers = [facts.observer("one"), facts.observer("two")]
        _ = try await request.start().value
        #expect(
            facts.all
                == ["willStart", "sending", "response 200", "finished success"]
                .flatMap { event in ["one", "two", "client"].map { "\($0) \(event)" } })
    }

    @Test func callCancelledAtOnceHasStartAndFinishEvents() async throws {
        let site = try Site()
        // A thread may be stopped between the two statements for longer than a response takes.
        let gate = Gate()
        defer { gate.open() }
        site.server.answer("/a", with: .text("a").held(by: gate))
        let facts = Facts()
        let client = site.client(observers: [facts.observer()])
        for _ in 0..<200 {
            let call = Fetch<String>(.get("/a"), of: client).start()
            call.cancel()
            #expect(await isCancelled(call.promise))
        }
        await facts.reached { $0.count { $0.hasPrefix("finished") } == 200 }
        await client.shutdown()
        var isOpen = false
        for fact in facts.all {
            switch fact {
            case "willStart":
                #expect(!isOpen)
                isOpen = true
            case "finished cancelled":
                #expect(isOpen)
                isOpen = false
            default: #expect(isOpen)
            }
        }
        #expect(facts.all.count { $0 == "willStart" } == 200)
    }

    @Test func observerMayCancelAtEachEvent() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a"))
        for event in ["willStart", "sending", "response 200"] {
            let facts = Facts()
            let canceller = ClosureObserver { if $0.word == event { $0.call.cancel() } }
            let client = site.client(observers: [canceller, facts.observer()])
            let call = Fetch<String>(.get("/a"), of: client).start()
            #expect(await isCancelled(call.promise))
            await facts.reached("finished cancelled")
            #expect(facts.all.last == "finished cancelled")
            #expect(facts.all.first == "willStart")
            #expect(facts.all.count { $0.hasPrefix("finished") } == 1)
            #expect(facts.all.contains(event))
        }
    }

    @Test func unsentCallHasStartAndFinishEvents() async throws {
        let site = try Site()
        let facts = Facts()
        let client = site.client(observers: [facts.observer()])
        _ = await refusal(of: Fetch<String>(.undeclared, of: client).promise)
        #expect(facts.all == ["willStart", "finished failure"])
        await client.shutdown()
        _ = await refusal(of: Fetch<String>(.get("/a"), of: client).promise)
        #expect(facts.all == ["willStart", "finished failure", "willStart", "finished failure"])
        #expect(site.server.requests.isEmpty)
    }

    @Test func clientRetainsItsObservers() async throws {
        final class Watcher: CallObserver {
            let facts: Facts
            init(_ facts: Facts) { self.facts = facts }
            func observe(_ event: CallEvent) { facts.note(event.word) }
        }
        let site = try Site()
        site.server.answer("/a", with: .text("a"))
        let facts = Facts()
        let client = site.client(observers: [Watcher(facts)])
        _ = try await Fetch<String>(.get("/a"), of: client).promise.value
        #expect(facts.all.last == "finished success")
    }

    @Test func observersReceiveInterimResponsesAndProgress() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("hello").informational(103, headers: ["Link": "</a.css>"]))
        let heard = Mutex<[CallEvent]>([])
        let client = site.client(observers: [ClosureObserver { event in heard.withLock { $0.append(event) } }])
        _ = try await Fetch<String>(.get("/a"), of: client).promise.value
        let events = heard.withLock { $0 }
        #expect(events.contains { $0.word == "informational 103" })
        let progress = events.compactMap { event -> Int? in
            if case .progress(let progress) = event.kind { progress.received } else { nil }
        }
        #expect(progress.last == 5)
        #expect(events.last?.word == "finished success")
    }

    @Test func finishedEventHasTheError() async throws {
        let site = try Site()
        site.server.answer("/a", with: .status(404))
        let codes = Facts()
        let client = site.client(
            observers: [
                ClosureObserver { event in
                    if case .finished(_, let error) = event.kind {
                        codes.note("\((error as? RequestError)?.code.rawValue ?? "none")")
                    }
                }
            ])
        _ = await refusal(of: Fetch<Void>(.get("/a"), of: client).promise)
        #expect(codes.all == ["badStatus"])
    }
}
