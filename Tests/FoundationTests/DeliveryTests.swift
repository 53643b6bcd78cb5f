import LoopbackServer
import Synchronization
import TangoPromise
import Testing

@testable import TangoFoundation
@testable import TestSupport

/// The delivery of values to a subscriber, as the publishers for Combine use it.
@Suite(.timeLimit(.minutes(20)))
struct DeliveryTests {
    /// A subscriber that records what it gets.
    private final class Recorder: Sendable {
        let received = Recorded<String>()
        let (completed, resolver) = Promise<Void>.pending()
        /// The demand that each value returns.
        let more: Int

        init(more: Int = 0) {
            self.more = more
        }

        var subscriber: Delivery<String>.Subscriber {
            Delivery.Subscriber(
                receive: {
                    self.received.add($0)
                    return Demand(self.more)
                },
                complete: { error in
                    self.received.add(error.map { "failure: \($0)" } ?? "finished")
                    self.resolver.fulfill(())
                })
        }

        /// Returns once a number of values or completions has been received.
        func reached(_ count: Int) async {
            while received.all.count < count { await Task.yield() }
        }
    }

    private struct Broken: Error, CustomStringConvertible {
        var description: String { "broken" }
    }

    private func numbers(_ count: Int, read: Recorded<Int> = Recorded(), error: Broken? = nil)
        -> Delivery<String>.Reader
    {
        var next = 0
        return {
            if next == count {
                if let error { throw error }
                return nil
            }
            next += 1
            read.add(next)
            return "\(next)"
        }
    }

    @Test func unlimitedDemandGetsAllValuesAndOneCompletion() async throws {
        let recorder = Recorder()
        let delivery = Delivery(to: recorder.subscriber)
        delivery.request(.unlimited)
        delivery.start { numbers(3) }
        try await recorder.completed.value
        delivery.cancel()
        delivery.request(.unlimited)
        #expect(recorder.received.all == ["1", "2", "3", "finished"])
    }

    @Test func noMoreThanTheDemandIsDelivered() async throws {
        let recorder = Recorder()
        let read = Recorded<Int>()
        let delivery = Delivery(to: recorder.subscriber)
        delivery.request(Demand(2))
        delivery.start { numbers(5, read: read) }
        // It reads one value ahead, and waits.
        while read.all.count < 3 { await Task.yield() }
        #expect(recorder.received.all == ["1", "2"])
        delivery.request(Demand(1))
        while read.all.count < 4 { await Task.yield() }
        #expect(recorder.received.all == ["1", "2", "3"])
        delivery.request(Demand(9))
        try await recorder.completed.value
        #expect(recorder.received.all == ["1", "2", "3", "4", "5", "finished"])
    }

    @Test func demandThatAValueReturnsIsAdded() async throws {
        let recorder = Recorder(more: 1)
        let delivery = Delivery(to: recorder.subscriber)
        delivery.start { numbers(4) }
        delivery.request(Demand(1))
        try await recorder.completed.value
        #expect(recorder.received.all == ["1", "2", "3", "4", "finished"])
    }

    @Test func errorCompletesAfterTheValues() async throws {
        let recorder = Recorder()
        let delivery = Delivery(to: recorder.subscriber)
        delivery.request(.unlimited)
        delivery.start { numbers(1, error: Broken()) }
        try await recorder.completed.value
        #expect(recorder.received.all == ["1", "failure: broken"])
    }

    @Test func endAndErrorNeedNoDemand() async throws {
        for error in [nil, Broken()] {
            let recorder = Recorder()
            let delivery = Delivery(to: recorder.subscriber)
            delivery.start { numbers(0, error: error) }
            try await recorder.completed.value
            #expect(recorder.received.all == [error == nil ? "finished" : "failure: broken"])
        }
    }

    @Test func cancelledDeliveryStartsNothing() {
        let recorder = Recorder()
        let delivery = Delivery(to: recorder.subscriber)
        delivery.cancel()
        delivery.start {
            Issue.record("the sequence was started")
            return numbers(1)
        }
        #expect(recorder.received.all.isEmpty)
    }

    @Test func cancellationInTheDeliveryEndsIt() async throws {
        let received = Recorded<String>()
        let box = Recorded<Delivery<String>>()
        let read = Recorded<Int>()
        let delivery = Delivery<String>(
            to: Delivery.Subscriber(
                receive: { value in
                    received.add(value)
                    box.all[0].cancel()
                    return .unlimited
                },
                complete: { _ in received.add("completed") }))
        box.add(delivery)
        let (ended, resolver) = Promise<Void>.pending()
        delivery.request(.unlimited)
        delivery.start {
            let next = numbers(3, read: read)
            let end = AtEnd { resolver.fulfill(()) }
            return {
                defer { withExtendedLifetime(end) {} }
                return try await next()
            }
        }
        try await ended.value
        #expect(received.all == ["1"])
    }

    /// Runs a closure when it is released.
    private final class AtEnd: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
        deinit { run() }
    }

    @Test func cancellationReleasesTheSubscriber() async throws {
        var recorder: Recorder? = Recorder()
        weak let released = recorder
        let subscriber = try #require(recorder?.subscriber)
        let delivery = Delivery(to: subscriber)
        _ = consume subscriber
        recorder = nil
        #expect(released != nil)
        delivery.cancel()
        #expect(released == nil)
    }

    // MARK: Promises and requests

    @Test func promiseIsOneValue() async throws {
        let recorder = Recorder()
        let delivery = Delivery(to: recorder.subscriber)
        delivery.request(.unlimited)
        delivery.start { Promise("a").reader() }
        try await recorder.completed.value
        #expect(recorder.received.all == ["a", "finished"])
    }

    @Test func rejectionIsAFailure() async throws {
        let recorder = Recorder()
        let delivery = Delivery(to: recorder.subscriber)
        delivery.start { Promise<String>.rejected(Broken()).reader() }
        try await recorder.completed.value
        #expect(recorder.received.all == ["failure: broken"])
    }

    @Test func cancelledSubscriptionCancelsThePromise() async throws {
        let site = try Site()
        let gate = Gate()
        site.server.answer("/a", with: Response.text("hello").held(by: gate))
        let call = Fetch<String>(.get("/a"), of: site.client()).start()
        let recorder = Recorder()
        let delivery = Delivery(to: recorder.subscriber)
        let (isRead, resolver) = Promise<Void>.pending()
        delivery.request(.unlimited)
        delivery.start {
            let next = call.promise.reader()
            return {
                resolver.fulfill(())
                return try await next()
            }
        }
        try await isRead.value
        delivery.cancel()
        while !call.isFinished { await Task.yield() }
        #expect(call.state == .finished(.cancelled))
        #expect(recorder.received.all.isEmpty)
    }

    @Test func valuesOfARequestStartACallForEachReader() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("hello"))
        let values = Fetch<String>(.get("/a"), of: site.client()).values
        for count in 1...2 {
            let recorder = Recorder()
            let delivery = Delivery(to: recorder.subscriber)
            delivery.request(Demand(1))
            delivery.start { values.reader() }
            try await recorder.completed.value
            #expect(recorder.received.all == ["hello", "finished"])
            #expect(site.server.requests.count == count)
        }
    }

    // MARK: Demand

    @Test func demandIsAdded() {
        var demand = Demand(-3)
        #expect(demand.isNone)
        demand.add(Demand(2))
        demand.takeOne()
        #expect(demand == Demand(1))
        demand.takeOne()
        demand.takeOne()
        #expect(demand == .none)
        demand.add(Demand(.max))
        demand.add(Demand(1))
        #expect(demand == .unlimited)
        demand.takeOne()
        demand.add(Demand(1))
        #expect(demand == .unlimited)
        #expect(!demand.isNone)
    }
}
