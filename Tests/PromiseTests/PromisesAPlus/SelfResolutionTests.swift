import Dispatch
import TangoPromise
import Testing

/// Promises/A+ 2.3.1: a promise that would wait for itself is rejected.
@Suite(.noHang) struct SelfResolutionTests {
    @Test(arguments: Outcome.allCases, Setting.all)
    func aHandlerThatReturnsItsOwnLinkRejectsIt(outcome: Outcome, setting: Setting) async {
        let (promise, settle) = setting.promise(outcome.result)
        let itself = Events<Promise<String>>()
        let gate = Promise<Void>.pending(on: setting.place.scheduler)
        let own = gate.promise.next { promise }.then({ _ in itself.all[0] }, { _ in itself.all[0] })
        itself.add(own)
        settle()
        gate.resolver.fulfill()
        #expect(await own.result.error() == PromiseError.cycle)
    }

    @Test func aResolverThatFollowsItsOwnPromiseRejectsIt() async {
        let (promise, resolver) = Promise<Int>.pending()
        resolver.follow(promise)
        #expect(await promise.result.error() == PromiseError.cycle)
    }

    @Test(arguments: [1, 2, 3, 10, 1_000])
    func aResolverThatFollowsAPromiseFurtherDownRejectsAll(length: Int) async {
        let (promise, resolver) = Promise<Int>.pending()
        var last = promise
        for _ in 0..<length { last = last.next { $0 + 1 } }
        resolver.follow(last)
        #expect(await promise.result.error() == PromiseError.cycle)
        #expect(await last.result.error() == PromiseError.cycle)
    }

    @Test(arguments: [2, 3, 10, 1_000])
    func aRingOfResolversIsRejected(length: Int) async {
        let ring = (0..<length).map { _ in Promise<Int>.pending() }
        for (index, link) in ring.enumerated() {
            link.resolver.follow(ring[(index + 1) % length].promise)
        }
        for link in ring { #expect(await link.promise.result.error() == PromiseError.cycle) }
    }

    @Test(arguments: [2, 3, 10])
    func aRingThatManyThreadsCloseIsRejected(length: Int) async {
        for _ in 0..<200 {
            let ring = (0..<length).map { _ in Promise<Int>.pending() }
            DispatchQueue.concurrentPerform(iterations: length) { index in
                ring[index].resolver.follow(ring[(index + 1) % length].promise)
            }
            for link in ring { #expect(await link.promise.result.error() == PromiseError.cycle) }
        }
    }

    @Test(arguments: [Place.background, .queue, .custom])
    func handlersThatReturnEachOthersLinksAreRejected(place: Place) async {
        for _ in 0..<200 {
            let links = Events<Promise<Int>>()
            let (gate, open) = Promise<Void>.pending()
            for index in 0..<2 { links.add(gate.next(on: place.scheduler) { links.all[1 - index] }) }
            let both = links.all
            open.fulfill()
            for link in both { #expect(await link.result.error() == PromiseError.cycle) }
            links.removeAll()
        }
    }

    @Test(arguments: [2, 3, 10])
    func aRingThroughCombinatorsThatManyThreadsCloseIsRejected(length: Int) async {
        for _ in 0..<200 {
            let ring = (0..<length).map { _ in Promise<Int>.pending() }
            let alls = ring.map { Promise.all([.fulfilled(1), $0.promise]).next { $0.count } }
            DispatchQueue.concurrentPerform(iterations: length) { index in
                ring[index].resolver.follow(alls[(index + 1) % length])
            }
            for link in ring { #expect(await link.promise.result.error() == PromiseError.cycle) }
        }
    }

    @Test(arguments: [true, false])
    func aRingThatOneThreadClosesWhileAnotherCancelsSettles(isHeadCancelled: Bool) async {
        for _ in 0..<200 {
            let (promise, resolver) = Promise<Int>.pending()
            let middle = promise.next { $0 + 1 }
            let end = middle.next { $0 + 1 }
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                if index == 0 { resolver.follow(end) } else { (isHeadCancelled ? promise : middle).cancel() }
            }
            for link in [promise, middle, end] {
                let result = await link.result
                #expect(result.error() == PromiseError.cycle || result.error(as: CancellationError.self) != nil)
            }
        }
    }

    @Test func aRingThroughACombinatorIsRejected() async {
        let other = Promise<Int>.pending()
        let (promise, resolver) = Promise<Int>.pending()
        let all = Promise.all([other.promise, promise, .fulfilled(3)])
        resolver.follow(all.next { $0.count })
        #expect(await promise.result.error() == PromiseError.cycle)
        #expect(await all.result.error() == PromiseError.cycle)
        other.resolver.fulfill(1)
    }

    // The search for a cycle starts at both ends with a growing limit, so each of these is larger than the first
    // limits.

    @Test(arguments: [1, 63, 64, 65, 1_000])
    func aRingThroughTheLastInputOfALargeCombinatorIsRejected(others: Int) async {
        let open = (0..<others).map { _ in Promise<Int>.pending() }
        let (promise, resolver) = Promise<Int>.pending()
        resolver.follow(Promise.all(open.map(\.promise) + [promise]).map { $0.count })
        #expect(await promise.result.error() == PromiseError.cycle)
        withExtendedLifetime(open) {}
    }

    @Test(arguments: [1, 63, 64, 65, 1_000])
    func aRingOfAPromiseThatManyOthersFollowIsRejected(others: Int) async {
        let (promise, resolver) = Promise<Int>.pending()
        let readers = (0..<others).map { _ in promise.map { $0 + 1 } }
        let all = Promise.all(readers + [promise.map { $0 + 2 }])
        resolver.follow(all.map { $0.count }.flatMap { Promise($0) })
        #expect(await promise.result.error() == PromiseError.cycle)
        #expect(await readers[0].result.error() == PromiseError.cycle)
    }

    @Test(arguments: [1, 2, 6])
    func aRingThroughNestedCombinatorsIsRejected(depth: Int) async {
        let open = (0..<200).map { _ in Promise<Int>.pending() }
        let (promise, resolver) = Promise<Int>.pending()
        var last = promise
        for _ in 0..<depth { last = Promise.all(open.map(\.promise) + [last, last]).map { $0.count } }
        resolver.follow(last)
        #expect(await promise.result.error() == PromiseError.cycle)
        withExtendedLifetime(open) {}
    }

    @Test func followingALargePendingCombinatorIsNoSearchOfItsInputs() async throws {
        let clock = ContinuousClock()
        let inputs = (0..<50_000).map { _ in Promise<Int>.pending(on: .immediate) }
        var all = Promise<[Int]>.rejected(CancellationError())
        let making = clock.measure { all = Promise.all(inputs.map(\.promise)) }
        let gates = (0..<2_000).map { _ in Promise<Void>.pending(on: .immediate) }
        let followed = all.map { $0.count }
        let links = gates.map { gate in gate.promise.flatMap { followed }.map { $0 + 1 } }
        // 2,000 searches of all inputs would take about 2,000 times as long as creating the combinator.
        let following = clock.measure { for gate in gates { gate.resolver.fulfill() } }
        #expect(following < making * 100)
        for input in inputs { input.resolver.fulfill(1) }
        #expect(try await Promise.all(links).value == Array(repeating: 50_001, count: 2_000))
    }

    @Test(arguments: [Place.background, .queue, .immediate])
    func aPromiseThatOnlyLooksLikeARingIsLeftAlone(place: Place) async throws {
        let (promise, resolver) = Promise<Int>.pending(on: place.scheduler)
        let first = promise.next { $0 + 1 }
        // Depends on the promise twice, without a cycle.
        let second = promise.next { _ in first }.next { value in Promise.all([first, promise]).next { $0 + [value] } }
        resolver.fulfill(1)
        #expect(try await second.value == [2, 1, 2])
    }

    @Test func aBrokenRingLetsTheRestGoOn() async throws {
        let (promise, resolver) = Promise<Int>.pending()
        let link = promise.next { $0 + 1 }
        let rescued = link.recover { _ in 7 }
        resolver.follow(link)
        #expect(try await rescued.value == 7)
    }
}
