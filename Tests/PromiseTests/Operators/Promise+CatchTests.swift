import TangoPromise
import Testing

@Suite(.timeLimit(.minutes(20))) struct CatchTests {
    @Test(arguments: Supply.all)
    func theHandlerSeesTheErrorWhichStays(supply: Supply) async {
        let recorder = Recorder<String>()
        let link = supply.error(Mishap.first) { $0.catch { recorder.note("\($0)") } }
        await #expect(throws: Mishap.first) { try await link.value }
        #expect(recorder.events == ["first"])
    }

    @Test(arguments: Supply.all)
    func anErrorKeepsItsIdentity(supply: Supply) async {
        let error = Reference()
        let link = supply.error(error) { $0.catch { _ in } }
        await #expect { try await link.value } throws: { ($0 as? Reference) === error }
    }

    @Test(arguments: Supply.all)
    func aValuePassesBy(supply: Supply) async throws {
        let recorder = Recorder<String>()
        let link = supply.value(1) { $0.catch { recorder.note("\($0)") } }
        #expect(try await link.value == 1)
        #expect(recorder.events.isEmpty)
    }

    @Test(arguments: Supply.all)
    func aCancellationPassesByUnlessThePolicyIsAll(supply: Supply) async {
        let recorder = Recorder<String>()
        let link = supply.error(CancellationError()) { source in
            source.catch { _ in recorder.note("default") }
                .catch(policy: .errors) { _ in recorder.note("errors") }
                .catch(policy: .all) { recorder.note("all, \($0 is CancellationError)") }
        }
        #expect(await link.isCancelled)
        #expect(recorder.events == ["all, true"])
    }

    @Test(arguments: Supply.all)
    func thePolicyAllIsForErrorsToo(supply: Supply) async {
        let recorder = Recorder<String>()
        let link = supply.error(Mishap.first) { $0.catch(policy: .all) { recorder.note("\($0)") } }
        await #expect(throws: Mishap.first) { try await link.value }
        #expect(recorder.events == ["first"])
    }

    @Test(arguments: Supply.all)
    func afterACatchOnlyHandlersOfErrorsRun(supply: Supply) async throws {
        let recorder = Recorder<String>()
        let end = supply.error(Mishap.first) { source in
            source.catch { _ in recorder.note("catch") }
                .next { _ in recorder.note("next") }
                .catch { _ in recorder.note("second catch") }
                .finally { recorder.note("finally") }
                .recover { _ in recorder.note("recover") }
                .next { recorder.note("after") }
        }
        try await end.value
        #expect(recorder.events == ["catch", "second catch", "finally", "recover", "after"])
    }

    @Test(arguments: Supply.all)
    func twoCatchesOfOnePromiseBothRunInOrder(supply: Supply) async {
        let recorder = Recorder<Int>()
        let last = supply.error(Mishap.first) { source in
            source.catch { _ in recorder.note(1) }
            return source.catch { _ in recorder.note(2) }
        }
        await #expect(throws: Mishap.first) { try await last.value }
        #expect(recorder.events == [1, 2])
    }

    @Test(arguments: Supply.all)
    func anErrorThatTheHandlerThrowsTakesThePlaceOfTheFirst(supply: Supply) async {
        let link = supply.error(Mishap.first) { $0.catch { _ in throw Mishap.second } }
        await #expect(throws: Mishap.second) { try await link.value }
    }

    @Test func aLinkCancelledWhileItWaitsDoesNotRun() async {
        let recorder = Recorder<String>()
        let (source, resolver): (Promise<Int>, _) = recorder.pending("source")
        let link = source.catch(policy: .all) { _ in recorder.note("catch") }
        link.cancel()
        resolver.reject(Mishap.first)
        #expect(await link.isCancelled)
        #expect(recorder.events == ["source stopped"])
    }

    // MARK: Places

    @Test func theHandlerRunsOnTheGivenQueue() async {
        let probe = ProbeQueue()
        let recorder = Recorder<Bool>()
        let link = Promise<Int>.rejected(Mishap.first)
            .catch(on: probe.scheduler) { _ in recorder.note(probe.isCurrent) }
            .catch { _ in recorder.note(probe.isCurrent) }
        await #expect(throws: Mishap.first) { try await link.value }
        #expect(recorder.events == [true, true])
    }

    @Test func theHandlerRunsOnTheMainActor() async {
        let counter = await MainCounter()
        let link = Promise<Int>.rejected(Mishap.first).catch(on: .main) { _ in counter.add(1) }
        await #expect(throws: Mishap.first) { try await link.value }
        #expect(await counter.add(1) == 2)
    }

    @Test func theLinkSettlesAfterItsTask() async {
        let (gate, open) = Promise<Void>.pending()
        let recorder = Recorder<String>()
        let link = Promise<Int>.rejected(Mishap.first).catch(on: .task) { error in
            try await gate.value
            recorder.note("\(error)")
        }
        open.fulfill()
        await #expect(throws: Mishap.first) { try await link.value }
        #expect(recorder.events == ["first"])
    }

    @Test func thePoliciesHoldOnEveryPlace() async {
        let recorder = Recorder<String>()
        let probe = ProbeQueue()
        let cancelled = Promise<Int>.rejected(CancellationError())
        let end = cancelled.catch(on: probe.scheduler) { _ in recorder.note("queue") }
            .catch(on: .main) { _ in recorder.note("main") }
            .catch(on: .task) { _ in recorder.note("task") }
            .catch(on: probe.scheduler, policy: .all) { _ in recorder.note("all on the queue") }
            .catch(on: .main, policy: .all) { _ in recorder.note("all on main") }
            .catch(on: .task, policy: .all) { _ in recorder.note("all in a task") }
        #expect(await end.isCancelled)
        #expect(recorder.events == ["all on the queue", "all on main", "all in a task"])
    }
}
