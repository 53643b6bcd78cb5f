import TangoPromise
import Testing

/// An operator in one of its forms, from a promise of a number to a promise of the same number.
struct OperatorForm: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let attach: @Sendable (Promise<Int>) -> Promise<Int>

    init(_ name: String, _ attach: @escaping @Sendable (Promise<Int>) -> Promise<Int>) {
        testDescription = name
        self.attach = attach
    }

    /// The forms that run on the scheduler of the source.
    static let inheriting: [OperatorForm] = [
        OperatorForm("next") { $0.next { $0 } },
        OperatorForm("next with a promise") { $0.next { Promise($0) } },
        OperatorForm("map") { $0.map { $0 } },
        OperatorForm("flatMap") { $0.flatMap { Promise($0) } },
        OperatorForm("then") { $0.then { $0 } },
        OperatorForm("then with a promise") { $0.then { Promise($0) } },
        OperatorForm("then with two handlers") { $0.then({ $0 }, { throw $0 }) },
        OperatorForm("then with two promises") { $0.then({ Promise($0) }, { Promise.rejected($0) }) },
        OperatorForm("then with a promise and a value") { $0.then({ Promise($0) }, { throw $0 }) },
        OperatorForm("catch") { $0.catch { _ in } },
        OperatorForm("catch of a type") { $0.catch(Reference.self) { _ in } },
        OperatorForm("recover") { $0.recover { throw $0 } },
        OperatorForm("recover with a promise") { $0.recover { Promise.rejected($0) } },
        OperatorForm("finally") { $0.finally {} },
        OperatorForm("tap") { $0.tap { _ in } },
        OperatorForm("mapError") { $0.mapError { $0 } },
        OperatorForm("validate") { $0.validate { _ in true } },
        OperatorForm("delay") { $0.delay(.zero, clock: ManualClock()) },
        OperatorForm("timeout") { $0.timeout(.seconds(1), clock: ManualClock()) },
        OperatorForm("next in a task") { $0.next(on: .task) { $0 } },
        OperatorForm("map in a task") { $0.map(on: .task) { $0 } },
        OperatorForm("flatMap in a task") { $0.flatMap(on: .task) { Promise($0) } },
        OperatorForm("then in a task") { $0.then(on: .task) { $0 } },
        OperatorForm("then with two handlers in a task") { $0.then(on: .task, { $0 }, { throw $0 }) },
        OperatorForm("catch in a task") { $0.catch(on: .task) { _ in } },
        OperatorForm("catch of a type in a task") { $0.catch(Reference.self, on: .task) { _ in } },
        OperatorForm("recover in a task") { $0.recover(on: .task) { throw $0 } },
        OperatorForm("finally in a task") { $0.finally(on: .task) {} },
        OperatorForm("tap in a task") { $0.tap(on: .task) { _ in } },
    ]

    static func on(_ scheduler: Scheduler) -> [OperatorForm] {
        [
            OperatorForm("next") { $0.next(on: scheduler) { $0 } },
            OperatorForm("next with a promise") { $0.next(on: scheduler) { Promise($0) } },
            OperatorForm("map") { $0.map(on: scheduler) { $0 } },
            OperatorForm("flatMap") { $0.flatMap(on: scheduler) { Promise($0) } },
            OperatorForm("then") { $0.then(on: scheduler) { $0 } },
            OperatorForm("then with a promise") { $0.then(on: scheduler) { Promise($0) } },
            OperatorForm("then with two handlers") { $0.then(on: scheduler, { $0 }, { throw $0 }) },
            OperatorForm("catch") { $0.catch(on: scheduler) { _ in } },
            OperatorForm("catch of a type") { $0.catch(Reference.self, on: scheduler) { _ in } },
            OperatorForm("recover") { $0.recover(on: scheduler) { throw $0 } },
            OperatorForm("recover with a promise") { $0.recover(on: scheduler) { Promise.rejected($0) } },
            OperatorForm("finally") { $0.finally(on: scheduler) {} },
            OperatorForm("tap") { $0.tap(on: scheduler) { _ in } },
        ]
    }

    static let onMain: [OperatorForm] = [
        OperatorForm("next") { $0.next(on: .main) { $0 } },
        OperatorForm("map") { $0.map(on: .main) { $0 } },
        OperatorForm("flatMap") { $0.flatMap(on: .main) { Promise($0) } },
        OperatorForm("then") { $0.then(on: .main) { $0 } },
        OperatorForm("then with two handlers") { $0.then(on: .main, { $0 }, { throw $0 }) },
        OperatorForm("catch") { $0.catch(on: .main) { _ in } },
        OperatorForm("catch of a type") { $0.catch(Reference.self, on: .main) { _ in } },
        OperatorForm("recover") { $0.recover(on: .main) { _ in 0 } },
        OperatorForm("finally") { $0.finally(on: .main) {} },
        OperatorForm("tap") { $0.tap(on: .main) { _ in } },
    ]

    static let all = inheriting + on(.background) + onMain
}

/// The rules that hold for every operator.
@Suite(.timeLimit(.minutes(20))) struct OperatorTests {
    @Test(arguments: OperatorForm.all, Handling.allCases)
    func everyOutcomePasses(form: OperatorForm, handling: Handling) async {
        let scheduler = handling.makeScheduler()
        let value = form.attach(.fulfilled(1, on: scheduler))
        #expect(await (try? value.value) == 1)
        let cancelled = form.attach(.rejected(CancellationError(), on: scheduler))
        #expect(await cancelled.isCancelled)
        if !form.testDescription.hasPrefix("recover") {
            let error = Reference()
            let rejected = form.attach(.rejected(error, on: scheduler))
            await #expect { try await rejected.value } throws: { ($0 as? Reference) === error }
        }
    }

    @Test(arguments: OperatorForm.all)
    func aCancelledLinkIsRejectedAtOnceAndLeavesItsSource(form: OperatorForm) {
        let recorder = Recorder<String>()
        let (source, resolver): (Promise<Int>, _) = recorder.pending("source")
        let link = form.attach(source)
        link.catch(on: .immediate, policy: .all) { recorder.note("cancelled: \($0 is CancellationError)") }
        link.cancel()
        #expect(recorder.events == ["cancelled: true", "source stopped"])
        withExtendedLifetime(resolver) {}
    }

    @Test(arguments: OperatorForm.all)
    func aSourceWithAnotherConsumerIsNotCancelled(form: OperatorForm) async throws {
        let recorder = Recorder<String>()
        let (source, resolver): (Promise<Int>, _) = recorder.pending("source")
        let link = form.attach(source)
        let other = form.attach(source)
        link.cancel()
        #expect(recorder.events.isEmpty)
        resolver.fulfill(1)
        #expect(await link.isCancelled)
        #expect(try await other.value == 1)
    }

    @Test(arguments: OperatorForm.all)
    func aCancelledSourceCancelsTheLink(form: OperatorForm) async {
        let (source, resolver) = Promise<Int>.pending()
        let link = form.attach(source)
        source.cancel()
        #expect(await link.isCancelled)
        withExtendedLifetime(resolver) {}
    }

    @Test(arguments: OperatorForm.inheriting)
    func laterLinksRunWhereTheSourceDoes(form: OperatorForm) async throws {
        let probe = ProbeQueue()
        #expect(try await form.attach(.fulfilled(1, on: probe.scheduler)).next { _ in probe.isCurrent }.value)
    }

    @Test(arguments: 0..<10)
    func laterLinksRunWhereTheOperatorWasToldToRun(index: Int) async throws {
        let probe = ProbeQueue()
        let form = OperatorForm.on(probe.scheduler)[index]
        #expect(try await form.attach(Promise(1)).next { _ in probe.isCurrent }.value)
    }

    @Test(arguments: OperatorForm.onMain)
    func laterLinksStayOnTheMainActor(form: OperatorForm) async throws {
        let isMain = form.attach(Promise(1)).next { _ in
            MainActor.assumeIsolated { true }
        }
        #expect(try await isMain.value)
    }

    @Test(arguments: OperatorForm.all)
    func aLinkThatComesLateSettlesToo(form: OperatorForm) async throws {
        let (source, resolver) = Promise<Int>.pending(on: .immediate)
        let link = form.attach(source)
        resolver.fulfill(1)
        #expect(try await link.value == 1)
        #expect(try await form.attach(source).value == 1)
    }
}
