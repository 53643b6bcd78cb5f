import TangoPromise
import Testing

@Suite(.timeLimit(.minutes(20))) struct RecoverTests {
    @Test(arguments: Supply.all)
    func anErrorBecomesAValue(supply: Supply) async throws {
        let link = supply.error(Mishap.numbered(7)) { source in
            source.recover { error in error as? Mishap == .numbered(7) ? 70 : 0 }
        }
        #expect(try await link.value == 70)
    }

    @Test(arguments: Supply.all)
    func anErrorBecomesTheOutcomeOfAnotherPromise(supply: Supply) async throws {
        let (other, resolver) = Promise<Int>.pending()
        let link = supply.error(Mishap.first) { $0.recover { _ in other } }
        resolver.fulfill(8)
        #expect(try await link.value == 8)
    }

    @Test(arguments: Supply.all)
    func aValuePassesBy(supply: Supply) async throws {
        let recorder = Recorder<String>()
        let link = supply.value(1) { source in
            source.recover { error in
                recorder.note("\(error)")
                return 0
            }
        }
        #expect(try await link.value == 1)
        #expect(recorder.events.isEmpty)
    }

    @Test(arguments: Supply.all)
    func aCancellationPassesByUnlessThePolicyIsAll(supply: Supply) async throws {
        #expect(await supply.error(CancellationError()) { $0.recover { _ in 0 } }.isCancelled)
        #expect(await supply.error(CancellationError()) { $0.recover { _ in Promise(0) } }.isCancelled)
        let value = supply.error(CancellationError()) { $0.recover(policy: .all) { _ in 1 } }
        #expect(try await value.value == 1)
        let promise = supply.error(CancellationError()) { $0.recover(policy: .all) { _ in Promise(2) } }
        #expect(try await promise.value == 2)
    }

    @Test(arguments: Supply.all)
    func anErrorThatTheHandlerThrowsTakesThePlaceOfTheFirst(supply: Supply) async {
        let link = supply.error(Mishap.first) { $0.recover { _ -> Int in throw Mishap.second } }
        await #expect(throws: Mishap.second) { try await link.value }
    }

    @Test(arguments: Supply.all)
    func theErrorMayBeThrownAgain(supply: Supply) async {
        let error = Reference()
        let link = supply.error(error) { $0.recover { error -> Int in throw error } }
        await #expect { try await link.value } throws: { ($0 as? Reference) === error }
    }

    @Test(arguments: Supply.all)
    func theChainGoesOnWithTheValue(supply: Supply) async throws {
        let recorder = Recorder<String>()
        let end = supply.error(Mishap.first) { source in
            source.recover { _ in 1 }.recover { _ in 2 }.catch { recorder.note("\($0)") }.next { $0 + 10 }
        }
        #expect(try await end.value == 11)
        #expect(recorder.events.isEmpty)
    }

    @Test func aLinkCancelledWhileItWaitsDoesNotRun() async {
        let recorder = Recorder<String>()
        let (source, resolver): (Promise<Int>, _) = recorder.pending("source")
        let link = source.recover(policy: .all) { _ in
            recorder.note("recover")
            return 0
        }
        link.cancel()
        resolver.reject(Mishap.first)
        #expect(await link.isCancelled)
        #expect(recorder.events == ["source stopped"])
    }

    @Test func cancellingTheLinkCancelsThePromiseThatItFollows() async {
        let recorder = Recorder<String>()
        let (inner, resolver): (Promise<Int>, _) = recorder.pending("inner")
        let link = Promise<Int>.rejected(Mishap.first, on: .immediate).recover { _ in inner }
        link.cancel()
        #expect(recorder.events == ["inner stopped"])
        withExtendedLifetime(resolver) {}
    }

    // MARK: Places

    @Test func theHandlerRunsOnTheGivenQueue() async throws {
        let probe = ProbeQueue()
        let failed = Promise<Bool>.rejected(Mishap.first)
        let link = failed.recover(on: probe.scheduler) { _ in probe.isCurrent }
        #expect(try await link.value)
        #expect(try await link.next { $0 && probe.isCurrent }.value, "later links inherit it")
        #expect(try await failed.recover(on: probe.scheduler) { _ in Promise(probe.isCurrent) }.value)
    }

    @Test func theHandlerRunsOnTheMainActor() async throws {
        let counter = await MainCounter()
        let failed = Promise<Int>.rejected(Mishap.first)
        #expect(try await failed.recover(on: .main) { _ in counter.add(1) }.value == 1)
        #expect(try await failed.recover(on: .main) { _ in Promise(counter.add(1)) }.value == 2)
    }

    @Test func theHandlerMayAwaitInATask() async throws {
        let (gate, open) = Promise<Int>.pending()
        let link = Promise<Int>.rejected(Mishap.first).recover(on: .task) { _ in try await gate.value }
        open.fulfill(3)
        #expect(try await link.value == 3)
    }

    @Test func anErrorThatATaskThrowsRejectsTheLink() async {
        let link = Promise<Int>.rejected(Mishap.first).recover(on: .task) { _ in throw Mishap.second }
        await #expect(throws: Mishap.second) { try await link.value }
    }

    @Test func cancellingTheLinkCancelsItsTask() async throws {
        let (started, start) = Promise<Void>.pending()
        let (seen, see) = Promise<Bool>.pending()
        let link = Promise<Int>.rejected(Mishap.first).recover(on: .task) { _ in
            start.fulfill()
            await untilCancelled()
            see.fulfill(Task.isCancelled)
            return 0
        }
        try await started.value
        link.cancel()
        #expect(try await seen.value)
        #expect(await link.isCancelled)
    }
}
