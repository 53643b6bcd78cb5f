import Testing

@testable import TangoCache

@Suite struct FeedScheduleTests {
    @Test func aLonelyStoreLooksOnceASecond() {
        var schedule = FeedSchedule()
        for hasChanges in [false, true, false] {
            #expect(schedule.next(hasChanges: hasChanges, hasOthers: false) == .seconds(1))
        }
    }

    @Test func pausesGrowWhileNothingChanges() {
        var schedule = FeedSchedule()
        let pauses = [true, false, false, false, false, true].map { schedule.next(hasChanges: $0, hasOthers: true) }
        #expect(pauses == [50, 100, 200, 400, 400, 50].map { .milliseconds($0) })
    }

    @Test func pausesAreShortAgainWhenAnotherStoreOpens() {
        var schedule = FeedSchedule()
        for _ in 0..<5 { _ = schedule.next(hasChanges: false, hasOthers: true) }
        _ = schedule.next(hasChanges: false, hasOthers: false)
        #expect(schedule.next(hasChanges: false, hasOthers: true) == .milliseconds(100))
    }
}
