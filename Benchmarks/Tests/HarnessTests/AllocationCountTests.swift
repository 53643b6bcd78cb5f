import Harness
import Testing

@Suite struct AllocationCountTests {
    private func count(_ perOperation: Double, limit: Int) -> AllocationCount {
        AllocationCount(name: "a call", perOperation: perOperation, limit: limit)
    }

    @Test(arguments: [
        (19.0, AllocationCount.Verdict.met), (19.02, .met), (18.9, .met), (20, .exceeded), (19.6, .exceeded),
        (18, .tooLoose), (0, .tooLoose),
    ])
    func countIsComparedWithItsLimit(perOperation: Double, verdict: AllocationCount.Verdict) {
        #expect(count(perOperation, limit: 19).verdict == verdict)
    }

    @Test(arguments: [(20.0, AllocationCount.Verdict.exceeded), (19, .met), (16, .met), (15, .tooLoose)])
    func scatterAllowsFewer(perOperation: Double, verdict: AllocationCount.Verdict) {
        let count = AllocationCount(name: "a call", perOperation: perOperation, limit: 19, scatter: 3)
        #expect(count.verdict == verdict)
    }

    @Test func remarkNamesTheRowTheNumberAndTheLimit() {
        #expect(count(20, limit: 19).remark == "error: a call: 20 allocations. The limit is 19.")
        #expect(count(18, limit: 19).remark == "hint: a call: 18 allocations. Lower the limit of 19.")
        #expect(count(19, limit: 19).remark == nil)
    }

    @Test func onlyAnExceededLimitFails() {
        #expect([count(18, limit: 19), count(19, limit: 19)].meetLimits)
        #expect(![count(18, limit: 19), count(20, limit: 19)].meetLimits)
    }

    @Test func reportHasEachRowAndRemark() {
        let report = [count(19, limit: 19), count(20, limit: 19)].report
        #expect(
            report == """
                Allocations of one operation  counted  limit
                  a call                           19     19
                  a call                           20     19

                error: a call: 20 allocations. The limit is 19.
                """)
    }

    @Test(.enabled(if: Allocations.areCounted, "Allocations are counted on Linux with glibc only."))
    func rowCountsWhatItsOperationAllocates() throws {
        let row = AllocationRow("two objects", limit: 2) { count in
            for _ in 0..<count { keep((Object(), Object())) }
        }
        #expect(try row.count().rounded == 2)
    }

    @Test(.enabled(if: Allocations.areCounted, "Allocations are counted on Linux with glibc only."))
    func preparationsAreNotCounted() throws {
        let row = AllocationRow("nothing", limit: 0, preparing: { (0..<100).map { _ in Object() } }) { objects, _ in
            keep(objects)
        }
        #expect(try row.count().rounded == 0)
    }
}

private final class Object {
    var number = 0
}
