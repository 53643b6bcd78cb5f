import TangoPromise
import Testing

/// Promises/A+ 2.2.7: the outcome of the promise that `then` returns.
@Suite(.noHang) struct LinkOutcomeTests {
    @Test(arguments: Outcome.allCases, Setting.all)
    func itHasTheValueThatTheHandlerReturns(outcome: Outcome, setting: Setting) async throws {
        let (promise, settle) = setting.promise(outcome.result)
        let link = promise.then({ "\($0) returned" }, { _ in "recovered" })
        settle()
        #expect(try await link.value == (outcome == .value ? "value returned" : "recovered"))
    }

    @Test(arguments: ErrorSample.all, Timing.allCases)
    func itHasTheErrorThatTheHandlerForValuesThrows(sample: ErrorSample, timing: Timing) async {
        let (promise, settle) = timing.promise(Outcome.value.result)
        let link: Promise<Int> = promise.then({ _ in throw sample.error }, { _ in 0 })
        settle()
        await sample.expect(from: link)
    }

    @Test(arguments: ErrorSample.all, Timing.allCases)
    func itHasTheErrorThatTheHandlerForErrorsThrows(sample: ErrorSample, timing: Timing) async {
        let (promise, settle) = timing.promise(Outcome.error.result)
        let link: Promise<Int> = promise.then({ _ in 0 }, { _ in throw sample.error })
        settle()
        await sample.expect(from: link)
    }

    @Test(arguments: ErrorSample.all, Setting.all)
    func anErrorReachesItsHandlerUnchanged(sample: ErrorSample, setting: Setting) async throws {
        let (promise, settle) = setting.promise(Result<Int, any Error>.failure(sample.error))
        let link = promise.next { $0 + 1 }.next { "\($0)" }.then({ _ in false }, { sample.isSame($0) })
        settle()
        #expect(try await link.value)
    }

    @Test(arguments: ErrorSample.all)
    func anErrorIsPassedOnUnchangedByEveryAPI(sample: ErrorSample) async throws {
        let promise = Promise<Int>.rejected(sample.error)
        await sample.expect(from: promise)
        await sample.expect(from: promise.catch { _ in })
        await sample.expect(from: promise.finally {})
        await sample.expect(from: promise.mapError { $0 })
        await sample.expect(from: promise.recover { throw $0 })
        await sample.expect(from: Promise(1).next { _ in promise })
        await sample.expect(from: Promise.all([promise]))
        await sample.expect(from: Promise.race([promise]))
        await sample.expect(from: Promise<Int> { $0.follow(promise) })
        await sample.expect(from: Promise<Int> { (_: Resolver<Int>) in throw sample.error })
        await sample.expect(from: Promise<Int> { try await promise.value })
        let results = try await Promise.allSettled([promise]).value
        #expect(results.count == 1)
        if case .failure(let error) = results.first { #expect(sample.isSame(error)) }
        await #expect { try await Promise.any([promise]).value } throws: { error in
            (error as? AggregateError)?.errors.allSatisfy(sample.isSame) ?? false
        }
    }

    @Test(arguments: Setting.all)
    func aHandlerForErrorsDoesNotSeeWhatItsPartnerThrows(setting: Setting) async {
        let events = Events<String>()
        let (promise, settle) = setting.promise(Outcome.value.result)
        let link: Promise<Int> = promise.then(
            { _ in throw Oops("partner") },
            { _ in
                events.add("the partner's error")
                return 0
            })
        settle()
        #expect(await link.result.error() == Oops("partner"))
        #expect(events.all == [])
    }

    @Test(arguments: Setting.all)
    func throwingACancellationCancelsTheLink(setting: Setting) async {
        let events = Events<String>()
        let (promise, settle) = setting.promise(Outcome.value.result)
        let link: Promise<String> = promise.next { _ in throw CancellationError() }
        let end = link.catch { _ in events.add("catch") }
            .recover { _ in "recover" }
            .catch(policy: .all) { events.add("all: \($0 is CancellationError)") }
        settle()
        await #expect(throws: CancellationError.self) { try await end.value }
        #expect(events.all == ["all: true"])
    }
}

extension ErrorSample {
    fileprivate func expect(from promise: Promise<some Sendable>, _ location: SourceLocation = #_sourceLocation) async {
        switch await promise.result {
        case .success(let value): Issue.record("a value: \(value)", sourceLocation: location)
        case .failure(let other): #expect(isSame(other), "got \(other)", sourceLocation: location)
        }
    }
}
