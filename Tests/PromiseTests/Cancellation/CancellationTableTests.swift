import Synchronization
import TangoPromise
import Testing

/// A kind of consumer, with the way in which it leaves its source.
enum ConsumerKind: String, CaseIterable, Sendable {
    case link, discardedLink, task, all, any, race, allSettled, adoption, follow, timeout

    /// A discarded link cannot leave: no code refers to it.
    static let leaving = allCases.filter { $0 != .discardedLink }
}

enum Sight: Equatable, Sendable {
    case value(Int), cancellation, failure(String)

    init(_ result: Result<Int, any Error>) {
        switch result {
        case .success(let value): self = .value(value)
        case .failure(is CancellationError): self = .cancellation
        case .failure(let error as AggregateError): self = Sight(.failure(error.errors[0]))
        case .failure(let error): self = .failure("\(error)")
        }
    }
}

/// One consumer, attached.
@MainActor struct Consumer {
    let leave: () -> Void
    let sight: () async -> Sight

    init<Value>(_ promise: Promise<Value>, _ convert: @escaping @Sendable (Value) throws -> Int) {
        leave = { promise.cancel() }
        sight = {
            let result = await promise.result
            return Sight(Result { try convert(result.get()) })
        }
    }

    init(of source: Promise<Int>, _ kind: ConsumerKind) async {
        switch kind {
        case .link: self.init(source.next { $0 }) { $0 }
        case .all: self.init(Promise.all([source])) { $0[0] }
        case .any: self.init(Promise.any([source])) { $0 }
        case .race: self.init(Promise.race([source])) { $0 }
        case .allSettled: self.init(Promise.allSettled([source])) { try $0[0].get() }
        case .adoption: self.init(Promise(()).next(on: .immediate) { source }) { $0 }
        case .follow:
            let (promise, resolver) = Promise<Int>.pending()
            resolver.follow(source)
            self.init(promise) { $0 }
        case .timeout: self.init(source.timeout(.seconds(1), clock: ManualClock())) { $0 }
        case .discardedLink: self.init(discardedLinkOf: source)
        case .task: await self.init(taskFor: source)
        }
    }

    private init(discardedLinkOf source: Promise<Int>) {
        let journal = Journal<Sight>()
        source.next { journal.write(.value($0)) }.catch(policy: .all) { journal.write(Sight(.failure($0))) }
        leave = {}
        sight = { await journal.entries(1)[0] }
    }

    /// Returns once the task has attached: it shares an actor with the test, and does not yield before.
    private init(taskFor source: Promise<Int>) async {
        let hasBegun = Tally()
        let task = Task { @MainActor in
            hasBegun.add()
            return Sight(await source.result)
        }
        while hasBegun.count == 0 { await Task.yield() }
        leave = { task.cancel() }
        sight = { await task.value }
    }
}

@Suite(.timeLimit(.minutes(20))) @MainActor struct CancellationTableTests {
    private nonisolated static let departuresOfThree = [
        [], [0], [1], [2],
        [0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1],
        [0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0],
    ]
    private nonisolated static let departuresOfTwo = [[], [0], [1], [0, 1], [1, 0]]
    private nonisolated static let pairs = ConsumerKind.leaving.flatMap { first in
        ConsumerKind.leaving.map { [first, $0] }
    }

    @Test(arguments: ConsumerKind.leaving, departuresOfThree)
    func aSourceIsCancelledWhenAllOfOneKindHaveLeft(kind: ConsumerKind, departures: [Int]) async {
        await check([kind, kind, kind], departures)
    }

    @Test(arguments: pairs, departuresOfTwo)
    func aSourceIsCancelledWhenBothOfAnyTwoKindsHaveLeft(kinds: [ConsumerKind], departures: [Int]) async {
        await check(kinds, departures)
    }

    @Test(arguments: ConsumerKind.leaving)
    func aDiscardedLinkKeepsTheSource(kind: ConsumerKind) async {
        await check([kind, .discardedLink, kind], [0, 2])
        await check([.discardedLink, kind], [1])
    }

    private func check(_ kinds: [ConsumerKind], _ departures: [Int]) async {
        let (source, resolver) = Promise<Int>.pending()
        let cancellations = Tally()
        resolver.onCancel { cancellations.add() }
        var consumers: [Consumer] = []
        for kind in kinds { await consumers.append(Consumer(of: source, kind)) }

        for (left, departure) in departures.enumerated() {
            #expect(cancellations.count == 0, "after \(left) have left")
            consumers[departure].leave()
        }

        let isDeserted = departures.count == kinds.count
        #expect(cancellations.count == (isDeserted ? 1 : 0))
        resolver.fulfill(7)
        for (index, consumer) in consumers.enumerated() {
            let expected = departures.contains(index) ? Sight.cancellation : .value(7)
            #expect(await consumer.sight() == expected, "consumer \(index)")
        }
        #expect(Sight(await source.result) == (isDeserted ? .cancellation : .value(7)))
        #expect(cancellations.count == (isDeserted ? 1 : 0))
    }

    @Test(arguments: ConsumerKind.allCases)
    func aLateConsumerOfACancelledSourceSeesTheCancellation(kind: ConsumerKind) async {
        let (source, resolver) = Promise<Int>.pending()
        source.cancel()
        let consumer = await Consumer(of: source, kind)
        #expect(await consumer.sight() == .cancellation)
        resolver.fulfill(7)
    }

    @Test(arguments: ConsumerKind.allCases)
    func everyConsumerSeesTheCancellationOfTheSource(kind: ConsumerKind) async {
        let (source, resolver) = Promise<Int>.pending()
        let consumers = [await Consumer(of: source, kind), await Consumer(of: source, kind)]
        source.cancel()
        for consumer in consumers { #expect(await consumer.sight() == .cancellation) }
        resolver.fulfill(7)
    }

    @Test(arguments: ConsumerKind.allCases)
    func leavingASettledSourceChangesNothing(kind: ConsumerKind) async {
        let (source, resolver) = Promise<Int>.pending()
        let cancellations = Tally()
        resolver.onCancel { cancellations.add() }
        let consumer = await Consumer(of: source, kind)
        resolver.fulfill(7)
        #expect(await consumer.sight() == .value(7))
        consumer.leave()
        #expect(cancellations.count == 0)
        #expect(Sight(await source.result) == .value(7))
    }
}
