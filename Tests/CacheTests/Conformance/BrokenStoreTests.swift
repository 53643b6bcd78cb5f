import Testing

@testable import CacheConformance

/// The check finds what is broken: a check that cannot fail proves nothing.
@Suite struct BrokenStoreTests {
    @Test(arguments: Fault.all)
    func aBrokenStoreIsReported(_ fault: Fault) async throws {
        let report = try #require(await Self.reports.report(of: fault), "\(fault) passed")
        #expect(Set(fault.rules).subtracting(report.violations.map(\.rule)) == [])
        #expect(report.held + report.violations.count == Rule.all.count)
    }

    @Test func everyRuleIsBrokenBySomeStore() async {
        var unbroken = Set(Rule.all.map(\.sentence))
        for fault in Fault.all {
            unbroken.subtract(await Self.reports.report(of: fault)?.violations.map(\.rule) ?? [])
        }
        #expect(unbroken == [])
    }

    private static let reports = Reports()

    /// Checks each store once, for all tests.
    private actor Reports {
        private var tasks: [String: Task<CacheStoreConformance.Report?, Never>] = [:]

        func report(of fault: Fault) async -> CacheStoreConformance.Report? {
            let task = tasks[fault.name] ?? Task { await Self.check(fault) }
            tasks[fault.name] = task
            return await task.value
        }

        private static func check(_ fault: Fault) async -> CacheStoreConformance.Report? {
            do {
                try await fault.check()
                return nil
            } catch {
                return error as? CacheStoreConformance.Report
            }
        }
    }
}
