import TangoPromise
import Testing

@Suite(.timeLimit(.minutes(20))) struct ThenRecoveringTests {
    @Test(arguments: Supply.all)
    func aValueGoesToTheFirstHandler(supply: Supply) async throws {
        let link = supply.value(1) { $0.then({ "value \($0)" }, { "error \($0)" }) }
        #expect(try await link.value == "value 1")
    }

    @Test(arguments: Supply.all)
    func anErrorGoesToTheSecondHandler(supply: Supply) async throws {
        let link = supply.error(Mishap.first) { $0.then({ "value \($0)" }, { "error \($0)" }) }
        #expect(try await link.value == "error first")
    }

    @Test(arguments: Supply.all)
    func aCancellationGoesToNeither(supply: Supply) async {
        let recorder = Recorder<String>()
        let link = supply.error(CancellationError()) {
            $0.then({ recorder.note("value \($0)") }, { recorder.note("error \($0)") })
        }
        #expect(await link.isCancelled)
        #expect(recorder.events.isEmpty)
    }

    @Test(arguments: Supply.all)
    func theSecondHandlerDoesNotReceiveErrorsOfTheFirst(supply: Supply) async {
        let recorder = Recorder<String>()
        let link = supply.value(1) { $0.then({ _ in throw Mishap.second }, { recorder.note("\($0)") }) }
        await #expect(throws: Mishap.second) { try await link.value }
        #expect(recorder.events.isEmpty)
    }

    @Test(arguments: Supply.all)
    func anErrorOfTheSecondHandlerRejectsTheLink(supply: Supply) async {
        let link = supply.error(Mishap.first) { $0.then({ $0 }, { _ in throw Mishap.second }) }
        await #expect(throws: Mishap.second) { try await link.value }
    }

    @Test(arguments: Supply.all)
    func bothHandlersMayReturnPromises(supply: Supply) async throws {
        let (inner, resolver) = Promise<String>.pending()
        func attach(_ source: Promise<Int>) -> Promise<String> {
            source.then({ value in inner.next { "\($0) \(value)" } }, { error in inner.next { "\($0) \(error)" } })
        }
        let value = supply.value(1, to: attach)
        let error = supply.error(Mishap.first, to: attach)
        resolver.fulfill("inner")
        #expect(try await value.value == "inner 1")
        #expect(try await error.value == "inner first")
    }

    @Test(arguments: Supply.all)
    func aPromiseMayBeReplacedByAPlainValueInTheSecondHandler(supply: Supply) async throws {
        func attach(_ source: Promise<Int>) -> Promise<Int> {
            source.then({ Promise($0 + 1) }, { _ in 0 })
        }
        #expect(try await supply.value(1, to: attach).value == 2)
        #expect(try await supply.error(Mishap.first, to: attach).value == 0)
    }

    @Test(arguments: Supply.all)
    func aSecondHandlerThatOnlyThrowsIsNotAmbiguous(supply: Supply) async {
        let link = supply.error(Mishap.first) { $0.then({ Promise($0 + 1) }, { _ in throw Mishap.second }) }
        await #expect(throws: Mishap.second) { try await link.value }
    }

    @Test(arguments: Supply.all)
    func theChainGoesOnAfterARecovery(supply: Supply) async throws {
        let recorder = Recorder<String>()
        let end = supply.error(Mishap.first) { source in
            source.then({ $0 }, { _ in 5 }).catch { recorder.note("\($0)") }.next { $0 * 2 }
        }
        #expect(try await end.value == 10)
        #expect(recorder.events.isEmpty)
    }

    @Test func aLinkCancelledWhileItWaitsRunsNeitherHandler() async {
        let recorder = Recorder<String>()
        let (source, resolver): (Promise<Int>, _) = recorder.pending("source")
        let link = source.then({ _ in recorder.note("value") }, { _ in recorder.note("error") })
        link.cancel()
        resolver.reject(Mishap.first)
        #expect(await link.isCancelled)
        #expect(recorder.events == ["source stopped"])
    }

    // MARK: Places

    @Test(arguments: [Result<Int, any Error>.success(1), .failure(Mishap.first)])
    func bothHandlersRunOnTheGivenQueue(outcome: Result<Int, any Error>) async throws {
        let probe = ProbeQueue()
        let (source, resolver) = Promise<Int>.pending()
        let plain = source.then(on: probe.scheduler, { _ in probe.isCurrent }, { _ in probe.isCurrent })
        let promises = source.then(
            on: probe.scheduler, { _ in Promise(probe.isCurrent) }, { _ in Promise(probe.isCurrent) })
        let mixed: Promise<Bool> = source.then(
            on: probe.scheduler, { _ in Promise(probe.isCurrent) }, { _ in probe.isCurrent })
        let inherited = plain.next { $0 && probe.isCurrent }
        resolver.settle(outcome)
        #expect(try await Promise.all([plain, promises, mixed, inherited]).value == [true, true, true, true])
    }

    @Test(arguments: [Result<Int, any Error>.success(1), .failure(Mishap.first)])
    func bothHandlersRunOnTheMainActor(outcome: Result<Int, any Error>) async throws {
        let counter = await MainCounter()
        let (source, resolver) = Promise<Int>.pending()
        let plain = source.then(on: .main, { _ in counter.add(1) }, { _ in counter.add(1) })
        let promises = source.then(on: .main, { _ in Promise(counter.add(1)) }, { _ in Promise(counter.add(1)) })
        let mixed: Promise<Int> = source.then(on: .main, { _ in Promise(counter.add(1)) }, { _ in counter.add(1) })
        resolver.settle(outcome)
        #expect(try await Promise.all([plain, promises, mixed]).value == [1, 2, 3])
    }

    @Test(arguments: [Result<Int, any Error>.success(1), .failure(Mishap.first)])
    func bothHandlersMayAwaitInATask(outcome: Result<Int, any Error>) async throws {
        let (gate, open) = Promise<String>.pending()
        let (source, resolver) = Promise<Int>.pending()
        let link = source.then(
            on: .task, { value in try await gate.value + "\(value)" }, { error in try await gate.value + "\(error)" })
        resolver.settle(outcome)
        open.fulfill("got ")
        #expect(try await link.value.hasPrefix("got "))
    }

    @Test func theErrorsOfATaskRejectTheLink() async {
        let link = Promise<Int>.rejected(Mishap.first).then(on: .task, { $0 }, { _ in throw Mishap.second })
        await #expect(throws: Mishap.second) { try await link.value }
    }
}
