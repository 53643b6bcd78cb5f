import Foundation
import PromiseReports
import TangoPromise
import Testing

@Suite(.serialized, .timeLimit(.minutes(20))) struct PromiseEventsTests {
    /// Runs `body`, which creates promises on `.immediate` only, and returns the reports of that error.
    private func unhandled(_ error: Reference, _ body: () -> Void) -> [PromiseReport] {
        let reports = Recorder<PromiseReport>()
        let listener = reports.listen { ($0.error as? Reference) === error }
        body()
        listener.stop()
        return reports.events
    }

    // MARK: Unhandled

    @Test func anUnhandledRejectionIsReportedOnce() {
        let error = Reference()
        let reports = unhandled(error) { _ = Promise<Int>.rejected(error) }
        #expect(reports.count == 1)
        #expect(reports.first?.kind == .unhandled)
    }

    @Test(arguments: [1, 2, 5])
    func everyLeafIsReportedOnce(leaves: Int) {
        let error = Reference()
        let reports = unhandled(error) {
            let (promise, resolver) = Promise<Int>.pending(on: .immediate)
            for _ in 0..<leaves { promise.next { $0 + 1 }.tap { _ in }.validate { _ in true }.finally {} }
            resolver.reject(error)
        }
        #expect(reports.count == leaves)
    }

    @Test func anErrorOfAnotherTypeThanTheCaughtIsReported() {
        let error = Reference()
        let reports = unhandled(error) {
            _ = Promise<Int>.rejected(error, on: .immediate).catch(Mishap.self) { _ in }
        }
        #expect(reports.map(\.kind) == [.unhandled])
    }

    @Test func aLeafIsNotReportedBeforeItIsReleased() {
        let error = Reference()
        var leaf: Promise<Int>?
        let early = unhandled(error) {
            leaf = Promise<Int>.rejected(error, on: .immediate).next { $0 }
        }
        #expect(early.isEmpty)
        let reports = unhandled(error) { leaf = nil }
        #expect(reports.count == 1)
        #expect(leaf == nil)
    }

    /// The operators that handle an error.
    private static let handlers: [OperatorForm] = [
        OperatorForm("catch") { $0.catch { _ in } },
        OperatorForm("catch before other links") { $0.catch { _ in }.next { $0 }.finally {} },
        OperatorForm("catch after other links") { $0.next { $0 }.finally {}.catch { _ in } },
        OperatorForm("catch of the type") { $0.catch(Reference.self) { _ in } },
        OperatorForm("two catches") { $0.catch { _ in }.catch { _ in } },
        OperatorForm("recover") { $0.recover { _ in 0 } },
        OperatorForm("then with two handlers") { $0.then({ $0 }, { _ in 0 }) },
        OperatorForm("mapError and catch") { $0.mapError { $0 }.catch { _ in } },
        OperatorForm("all and catch") { source in Promise.all([source, source]).next { $0[0] }.catch { _ in } },
        OperatorForm("allSettled") { source in Promise.allSettled([source]).next { _ in 0 } },
        OperatorForm("any") { source in Promise.any(source, Promise.fulfilled(1, on: .immediate)) },
        OperatorForm("adoption and catch") { source in
            Promise.fulfilled(1, on: .immediate).next { _ in source }.catch { _ in }
        },
    ]

    @Test(arguments: handlers, [true, false])
    func aHandledErrorIsNotReported(form: OperatorForm, isSettledFirst: Bool) {
        let error = Reference()
        let reports = unhandled(error) {
            let (promise, resolver) = Promise<Int>.pending(on: .immediate)
            if isSettledFirst { resolver.reject(error) }
            _ = form.attach(promise)
            if !isSettledFirst { resolver.reject(error) }
        }
        #expect(reports.isEmpty)
    }

    @Test func aLinkThatWasCancelledIsNotReported() {
        let error = Reference()
        let reports = unhandled(error) {
            let (promise, resolver) = Promise<Int>.pending(on: .immediate)
            promise.catch { _ in }
            promise.next { $0 }.cancel()
            resolver.reject(error)
        }
        #expect(reports.isEmpty)
    }

    @Test func aBranchWithoutAHandlerIsReportedBesideOneThatHasOne() {
        let error = Reference()
        let reports = unhandled(error) {
            let promise = Promise<Int>.rejected(error, on: .immediate)
            promise.catch { _ in }
            promise.next { $0 }
        }
        #expect(reports.count == 1)
    }

    @Test func anErrorThatAHandlerThrowsIsReported() {
        let error = Reference()
        let reports = unhandled(error) {
            Promise<Int>.rejected(Mishap.first, on: .immediate).catch { _ in throw error }
            Promise<Int>.rejected(Mishap.first, on: .immediate).recover { _ in throw error }
            Promise.fulfilled(1, on: .immediate).next { _ -> Int in throw error }
        }
        #expect(reports.count == 3)
    }

    @Test func theErrorOfACombinatorIsReportedOnceAndNotThoseOfItsInputs() {
        let error = Reference()
        let reports = unhandled(error) {
            let inputs = (0..<3).map { _ in Promise<Int>.pending(on: .immediate) }
            _ = Promise.all(inputs.map(\.promise))
            for input in inputs { input.resolver.reject(error) }
        }
        #expect(reports.count == 1)
    }

    @Test func awaitingCountsAsHandling() async {
        let error = Reference()
        let reports = Recorder<PromiseReport>()
        let listener = reports.listen { ($0.error as? Reference) === error }
        _ = await Promise<Int>.rejected(error).result
        let (promise, resolver) = Promise<Int>.pending()
        let waiting = Task { await promise.result }
        resolver.reject(error)
        _ = await waiting.value
        listener.stop()
        #expect(reports.events.isEmpty)
    }

    @Test func cancellationsAreNotReported() async {
        let reports = Recorder<PromiseReport>()
        let listener = reports.listen { $0.kind == .unhandled && $0.error is CancellationError }
        do {
            Promise<Int>.rejected(CancellationError(), on: .immediate).next { $0 }
            let (promise, resolver) = Promise<Int>.pending(on: .immediate)
            promise.next { $0 }.cancel()
            withExtendedLifetime(resolver) {}
        }
        listener.stop()
        #expect(reports.events.isEmpty)
    }

    @Test func aReportFromAnotherThreadComesThroughToo() async throws {
        let error = Reference()
        let (reported, report) = Promise<PromiseReport>.pending()
        let listener = ReportListener {
            guard ($0.error as? Reference) === error else { return false }
            report.fulfill($0)
            return true
        }
        Promise<Int>.rejected(error).next { $0 }.tap { _ in }
        #expect(try await reported.value.kind == .unhandled)
        listener.stop()
    }

    @Test func aReportSaysWhereTheChainBegins() throws {
        let error = Reference()
        var line: UInt = 0
        let reports = unhandled(error) {
            line = #line + 1
            let (promise, resolver) = Promise<Int>.pending(on: .immediate)
            promise.next { $0 }.tap { _ in }
            resolver.reject(error)
        }
        let report = try #require(reports.first)
        #if DEBUG
            #expect(report.site == "\(#fileID):\(line)")
            #expect("\(report)".hasPrefix("Unhandled error in a promise (created in \(#fileID):\(line)): "))
        #else
            #expect(report.site == nil)
            #expect("\(report)".hasPrefix("Unhandled error in a promise: "))
        #endif
    }

    // MARK: Dropped

    /// Runs `body`, which creates one promise on the given line, and returns the reports of dropped promises.
    private func dropped(_ body: () -> Void) -> [PromiseReport] {
        let reports = Recorder<PromiseReport>()
        let thread = ThreadMark()
        let listener = reports.listen { $0.kind == .dropped && thread.isCurrent }
        body()
        listener.stop()
        return reports.events
    }

    @Test func aPromiseWhoseResolverIsGoneIsReportedOnceAndRejected() async throws {
        let recorder = Recorder<String>()
        var line: UInt = 0
        let reports = dropped {
            line = #line + 1
            let promise = Promise<Int>.pending(on: .immediate).promise
            promise.catch { recorder.note("\($0 as? PromiseError == .abandoned)") }
        }
        let report = try #require(reports.first)
        #expect(reports.count == 1)
        #expect(report.kind == .dropped)
        #expect(report.error as? PromiseError == .abandoned)
        #expect(recorder.events == ["true"])
        #if DEBUG
            #expect("\(report)".hasPrefix("A promise was dropped (created in \(#fileID):\(line)): "))
        #else
            #expect("\(report)".hasPrefix("A promise was dropped: "))
        #endif
    }

    @Test func aDroppedPromiseIsNotUnhandledToo() {
        let unhandled = Recorder<PromiseReport>()
        let thread = ThreadMark()
        let listener = unhandled.listen { $0.kind == .unhandled && thread.isCurrent }
        let reports = dropped {
            Promise<Int>.pending(on: .immediate).promise.next { $0 }
        }
        listener.stop()
        #expect(reports.count == 1)
        #expect(unhandled.events.isEmpty)
    }

    @Test func aResolverThatHasDoneItsWorkMayGo() {
        let reports = dropped {
            Promise<Int>.pending().resolver.fulfill(1)
            Promise<Int>.pending().resolver.follow(Promise(1))
            let cancelled = Promise<Int>.pending()
            cancelled.promise.cancel()
            _ = Promise { $0.fulfill(1) }
        }
        #expect(reports.isEmpty)
    }

    // MARK: Hooks

    /// In a process of its own, because tests of other suites use the hooks meanwhile.
    @Test func hooksMayBeRemoved() async throws {
        let child = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            (PromiseEvents.onUnhandled, PromiseEvents.onDropped) = (nil, nil)
            _ = Promise<Int>.rejected(Reference(), on: .immediate)
            _ = Promise<Int>.pending(on: .immediate)
            #expect(PromiseEvents.onUnhandled == nil && PromiseEvents.onDropped == nil)
        }
        let printed = String(decoding: try #require(child).standardErrorContent, as: UTF8.self)
        #expect(!printed.contains("Unhandled error") && !printed.contains("A promise was dropped"))
    }
}

/// The thread on which it was made.
private struct ThreadMark: Sendable {
    private let thread = pthread_self()

    var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }
}

extension Recorder<PromiseReport> {
    /// Notes the reports of either kind that pass the filter.
    fileprivate func listen(_ matches: @escaping @Sendable (PromiseReport) -> Bool) -> ReportListener {
        ReportListener { [self] report in
            if matches(report) { note(report) }
            return matches(report)
        }
    }
}
