import Dispatch
import TangoPromise
import Testing

/// Promises/A+ 2.1: a promise settles once and never changes after that.
@Suite(.noHang) struct StatesTests {
    /// A call of a resolver.
    enum Attempt: CaseIterable, Sendable {
        case fulfill, reject, followValue, followError, followPending

        static let settling: [Attempt] = [.fulfill, .reject, .followValue, .followError]
        private static let never = Promise<String>.pending()

        func apply(to resolver: Resolver<String>, _ name: String) {
            switch self {
            case .fulfill: resolver.fulfill(name)
            case .reject: resolver.reject(Oops(name))
            case .followValue: resolver.follow(.fulfilled(name))
            case .followError: resolver.follow(.rejected(Oops(name)).catch { _ in })
            case .followPending: resolver.follow(Attempt.never.promise)
            }
        }
    }

    @Test(arguments: Attempt.settling, Attempt.allCases)
    func theFirstAttemptDecidesAndTheNextIsIgnored(first: Attempt, second: Attempt) async {
        let events = Events<String>()
        let (promise, resolver) = Promise<String>.pending()
        let noted = promise.note(in: events)
        first.apply(to: resolver, "first")
        second.apply(to: resolver, "second")
        await noted.result.check()
        await promise.note("late ", in: events).result.check()
        #expect(events.all == ["first", "late first"])
    }

    @Test(arguments: Attempt.settling, Attempt.allCases)
    func anAttemptAfterTheHandlersHaveRunIsIgnored(first: Attempt, second: Attempt) async {
        let events = Events<String>()
        let (promise, resolver) = Promise<String>.pending()
        let noted = promise.note(in: events)
        first.apply(to: resolver, "first")
        await noted.result.check()
        second.apply(to: resolver, "second")
        await promise.note("late ", in: events).result.check()
        #expect(events.all == ["first", "late first"])
    }

    @Test(arguments: Outcome.allCases)
    func aSettledPromiseGivesAllConsumersTheSameOutcome(outcome: Outcome) async {
        let promise = Timing.already.promise(outcome.result).promise
        for _ in 0..<10 {
            let result = await promise.result
            #expect((try? result.get()) == (try? outcome.result.get()))
            #expect(result.error(as: Oops.self) == outcome.result.error())
        }
    }

    @Test(arguments: Place.allCases)
    func oneOfAHundredThreadsWins(place: Place) async {
        let events = Events<String>()
        let (promise, resolver) = Promise<String>.pending(on: place.scheduler)
        let noted = promise.note(in: events)
        DispatchQueue.concurrentPerform(iterations: 100) { index in
            Attempt.settling[index % 4].apply(to: resolver, "\(index)")
        }
        await noted.result.check()
        await promise.note(in: events).result.check()
        #expect(events.all.count == 2)
        #expect(Set(events.all).count == 1)
    }

    @Test(arguments: Attempt.allCases)
    func aCancelledPromiseStaysCancelled(attempt: Attempt) async {
        let (promise, resolver) = Promise<String>.pending()
        promise.cancel()
        attempt.apply(to: resolver, "late")
        await #expect(throws: CancellationError.self) { try await promise.value }
    }

    @Test(arguments: Outcome.allCases)
    func cancellingASettledPromiseChangesNothing(outcome: Outcome) async {
        let events = Events<String>()
        let promise = Timing.already.promise(outcome.result).promise
        promise.cancel()
        await promise.note(in: events).result.check()
        #expect(events.all == [outcome.rawValue])
    }
}
