import Testing

@testable import TangoCache

@Suite struct BacklogTests {
    /// Replaces the macro, which accepts no mutating call.
    private func expect(_ isTrue: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(isTrue, sourceLocation: sourceLocation)
    }

    private func backlog(_ jobs: Range<Int>) -> Backlog<Int> {
        var backlog = Backlog<Int>()
        expect((jobs).allSatisfy { job in backlog.add(job, bytes: 1, now: 0) })
        return backlog
    }

    @Test func changesAreTakenInOrderABatchAtATime() {
        var backlog = backlog(0..<600)
        expect(backlog.next(now: 0) == Array(0..<256))
        expect(backlog.next(now: 0) == Array(256..<512))
        expect(backlog.next(now: 0) == Array(512..<600))
        expect(backlog.next(now: 0) == [])
    }

    @Test func failedChangesAreRetriedOneByOneBeforeTheRest() {
        var backlog = backlog(0..<300)
        backlog.retry(backlog.next(now: 0))
        expect((0..<256).allSatisfy { job in backlog.next(now: 0) == [job] })
        expect(backlog.next(now: 0) == Array(256..<300))
    }

    @Test func allIsTakenAtOnceAndTheNextAreABatchAgain() {
        var backlog = backlog(0..<300)
        backlog.retry(backlog.next(now: 0))
        expect(backlog.takeAll() == Array(0..<300))
        expect((0..<3).allSatisfy { job in backlog.add(job, bytes: 1, now: 0) })
        expect(backlog.next(now: 0) == [0, 1, 2])
    }

    @Test func aWriterThatGoesOnTakesAnyNumber() {
        var backlog = backlog(0..<1)
        _ = backlog.next(now: 10)
        expect(
            (0..<100_000).allSatisfy { job in
                backlog.add(job, bytes: 1 << 20, now: 10 + Backlog<Int>.longestTransaction - 1)
            })
    }

    @Test func aWriterThatIsStuckTakesSoManyChangesMore() {
        var backlog = backlog(0..<1)
        _ = backlog.next(now: 10)
        let now = 10 + Backlog<Int>.longestTransaction
        expect((0..<Backlog<Int>.limit.count).allSatisfy { job in backlog.add(job, bytes: 0, now: now) })
        expect(!backlog.add(0, bytes: 0, now: now))
        _ = backlog.next(now: now)
        expect(backlog.add(0, bytes: 0, now: now))
    }

    @Test func aWriterThatIsStuckTakesSoManyBytesMore() {
        var backlog = backlog(0..<1)
        _ = backlog.next(now: 10)
        let now = 10 + Backlog<Int>.longestTransaction
        expect(backlog.add(0, bytes: Backlog<Int>.limit.bytes, now: now))
        expect(!backlog.add(1, bytes: 1, now: now))
        expect(backlog.add(1, bytes: 0, now: now))
        _ = backlog.takeAll()
        expect(backlog.add(1, bytes: 1, now: now))
    }

    @Test func aWriterThatHasNothingToDoIsNotStuck() {
        var backlog = backlog(0..<1)
        _ = backlog.next(now: 10)
        expect(backlog.next(now: 11) == [])
        expect((0..<2_000).allSatisfy { job in backlog.add(job, bytes: 1 << 20, now: 1_000) })
    }

    @Test func theLogIsWaitedForOnceUntilItCouldBeEmptied() {
        var timeout = LogTimeout()
        #expect(timeout.milliseconds == 250)
        timeout.note(isEmptied: false)
        #expect(timeout.milliseconds == 0)
        timeout.note(isEmptied: false)
        #expect(timeout.milliseconds == 0)
        timeout.note(isEmptied: true)
        #expect(timeout.milliseconds == 250)
    }
}
