import TangoPromise
import Testing

@Suite(.timeLimit(.minutes(20))) struct AllTests {
    @Test(arguments: Handling.allCases)
    func valuesComeInTheOrderOfTheInput(handling: Handling) async throws {
        let inputs = (0..<10).map { _ in Promise<Int>.pending(on: handling.makeScheduler()) }
        let all = Promise.all(inputs.map(\.promise))
        for index in [3, 9, 0, 5, 1, 8, 2, 7, 4, 6] { inputs[index].resolver.fulfill(index) }
        #expect(try await all.value == Array(0..<10))
    }

    @Test func noPromisesMakeAnEmptyArrayAtOnce() async throws {
        let recorder = Recorder<Int>()
        let all: Promise<[Int]> = Promise.all([])
        all.next(on: .immediate) { recorder.note($0.count) }
        #expect(recorder.events == [0])
    }

    @Test func settledPromisesAndPendingOnesMix() async throws {
        let (pending, resolver) = Promise<Int>.pending()
        let all = Promise.all([Promise(1), pending, Promise(3)])
        resolver.fulfill(2)
        #expect(try await all.value == [1, 2, 3])
    }

    @Test func onePromiseMayCountSeveralTimes() async throws {
        let (promise, resolver) = Promise<Int>.pending()
        let all = Promise.all([promise, promise, promise])
        resolver.fulfill(1)
        #expect(try await all.value == [1, 1, 1])
    }

    @Test func anySequenceIsAccepted() async throws {
        #expect(try await Promise.all((0..<3).lazy.map { Promise($0) }).value == [0, 1, 2])
    }

    @Test(arguments: Handling.allCases)
    func theFirstErrorInTimeDecides(handling: Handling) async {
        let inputs = (0..<3).map { _ in Promise<Int>.pending(on: handling.makeScheduler()) }
        let all = Promise.all(inputs.map(\.promise))
        inputs[2].resolver.reject(Mishap.numbered(2))
        await #expect(throws: Mishap.numbered(2)) { try await all.value }
        inputs[0].resolver.reject(Mishap.numbered(0))
        inputs[1].resolver.fulfill(1)
        await #expect(throws: Mishap.numbered(2)) { try await all.value }
    }

    @Test func aCancelledPromiseCancelsAll() async {
        let (first, second) = (Promise<Int>.pending(), Promise<Int>.pending())
        let all = Promise.all([first.promise, second.promise])
        second.promise.cancel()
        #expect(await all.isCancelled)
        first.resolver.fulfill(1)
    }

    @Test(arguments: [Losers.keep, .cancel])
    func theOthersGoOnUnlessLosersAreCancelled(losers: Losers) async {
        let recorder = Recorder<String>()
        let (first, resolver): (Promise<Int>, _) = recorder.pending("first")
        let (second, other): (Promise<Int>, _) = recorder.pending("second")
        let all = Promise.all([first, second], losers: losers)
        other.reject(Mishap.first)
        await #expect(throws: Mishap.first) { try await all.value }
        #expect(recorder.events == (losers == .cancel ? ["first stopped"] : []))
        resolver.fulfill(1)
        #expect(await (try? first.value) == (losers == .cancel ? nil : 1))
    }

    @Test func losersWithAnotherConsumerGoOn() async throws {
        let recorder = Recorder<String>()
        let (first, resolver): (Promise<Int>, _) = recorder.pending("first")
        let other = first.next { $0 + 1 }
        let all = Promise.all([first, .rejected(Mishap.first)], losers: .cancel)
        await #expect(throws: Mishap.first) { try await all.value }
        resolver.fulfill(1)
        #expect(try await other.value == 2)
        #expect(recorder.events.isEmpty)
    }

    @Test func cancellingAllLeavesEveryInput() async throws {
        let recorder = Recorder<String>()
        let (first, firstResolver): (Promise<Int>, _) = recorder.pending("first")
        let (second, secondResolver): (Promise<Int>, _) = recorder.pending("second")
        let (shared, sharedResolver): (Promise<Int>, _) = recorder.pending("shared")
        let other = shared.next { $0 }
        let all = Promise.all([first, second, shared])
        all.cancel()
        #expect(await all.isCancelled)
        #expect(recorder.events == ["first stopped", "second stopped"])
        sharedResolver.fulfill(1)
        #expect(try await other.value == 1)
        withExtendedLifetime((firstResolver, secondResolver)) {}
    }

    @Test func cancellingALaterLinkLeavesTheInputsToo() {
        let recorder = Recorder<String>()
        let (input, resolver): (Promise<Int>, _) = recorder.pending("input")
        Promise.all([input]).next { $0.count }.next { $0 }.cancel()
        #expect(recorder.events == ["input stopped"])
        withExtendedLifetime(resolver) {}
    }

    @Test func theOutputContinuesWhereTheFirstInputDoes() async throws {
        let probe = ProbeQueue()
        let all = Promise.all([.fulfilled(1, on: probe.scheduler), Promise(2)])
        #expect(try await all.next { _ in probe.isCurrent }.value)
    }

    // MARK: Of different types

    @Test func promisesOfDifferentTypesMakeATuple() async throws {
        let (number, numberResolver) = Promise<Int>.pending()
        let (text, textResolver) = Promise<String>.pending()
        let all = Promise.all(number, text, Promise([1.5]))
        textResolver.fulfill("text")
        numberResolver.fulfill(1)
        let (first, second, third) = try await all.value
        #expect((first, second) == (1, "text"))
        #expect(third == [1.5])
        #expect(try await Promise.all(number, text).next { number, text in "\(number) \(text)" }.value == "1 text")
    }

    @Test(arguments: [Losers.keep, .cancel])
    func theFirstErrorRejectsATuple(losers: Losers) async {
        let recorder = Recorder<String>()
        let (number, resolver): (Promise<Int>, _) = recorder.pending("number")
        let all = Promise.all(number, Promise<String>.rejected(Mishap.first), losers: losers)
        await #expect(throws: Mishap.first) { try await all.value }
        #expect(recorder.events == (losers == .cancel ? ["number stopped"] : []))
        withExtendedLifetime(resolver) {}
    }

    @Test func cancellingATupleLeavesEveryInput() async {
        let recorder = Recorder<String>()
        let (number, numberResolver): (Promise<Int>, _) = recorder.pending("number")
        let (text, textResolver): (Promise<String>, _) = recorder.pending("text")
        let all = Promise.all(number, text)
        all.cancel()
        #expect(await all.isCancelled)
        #expect(recorder.events == ["number stopped", "text stopped"])
        withExtendedLifetime((numberResolver, textResolver)) {}
    }

    @Test func manyPromisesMaySettleOnManyThreads() async throws {
        let inputs = (0..<800).map { _ in Promise<Int>.pending() }
        let all = Promise.all(inputs.map(\.promise))
        await onThreads(8) { thread in
            for index in stride(from: thread, to: 800, by: 8) { inputs[index].resolver.fulfill(index) }
        }
        #expect(try await all.value == Array(0..<800))
    }
}
