import Testing

@testable import TangoCache

@Suite struct MaintenanceScheduleTests {
    @Test func upkeepIsDueOnceAnHour() {
        let schedule = MaintenanceSchedule(now: 100)
        let moments = [100, 3699, 3700, 3701, 7299, 7300, 20_000, 20_001]
        #expect(moments.filter { schedule.isDue(at: $0) } == [3700, 7300, 20_000])
    }
}
