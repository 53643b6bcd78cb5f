import Harness
import Testing

@Suite struct GrowthTests {
    private func curve(_ times: [(Int, Double)], reason: String? = nil) -> GrowthCurve {
        GrowthCurve(
            name: "a call", dimension: "hosts", reason: reason,
            points: times.map { (size: $0.0, time: Spread([$0.1])) })
    }

    @Test(arguments: [
        (400.0, 400.0, 0.0, true), (400, 800, 0.15, true), (400, 4_000, 0.5, false), (400, 40_000, 1, false),
        (400, 200, -0.15, true),
    ])
    func exponentTellsFlatFromGrowing(at100: Double, at10000: Double, exponent: Double, isFlat: Bool) throws {
        let curve = curve([(1, 7), (100, at100), (10_000, at10000)])
        #expect(abs(try #require(curve.exponent) - exponent) < 0.01)
        #expect(curve.isFlat == isFlat)
    }

    @Test func fewerThanTwoSizesHaveNoExponent() {
        #expect(curve([(1, 7), (100, 9)]).exponent == nil)
        #expect(curve([(1, 7), (100, 9)]).isFlat)
    }

    @Test func tableHasTheSizesOfEachDimension() {
        let other = GrowthCurve(
            name: "get", dimension: "entries", points: [(size: 1, time: Spread([5])), (size: 100, time: Spread([6]))])
        #expect(
            [curve([(1, 1_000), (100, 2_000), (10_000, 200_000)]), other].table == """
                hosts         1    100   10,000  exponent
                  a call  1,000  2,000  200,000      1.00  ✗

                entries       1    100
                  get       5.0    6.0                     ✓

                """)
    }

    @Test func remarksAreReasonsOfTheRowsThatGrow() {
        let grows = [(1, 1.0), (100, 100.0), (10_000, 10_000.0)]
        #expect([curve(grows, reason: "Each is read.")].remarks == ["a call, beside hosts: Each is read."])
        #expect([curve(grows)].remarks == ["a call, beside hosts: the cost must not grow."])
        #expect([curve([(1, 1), (100, 1), (10_000, 1)], reason: "Each is read.")].remarks.isEmpty)
    }

    @Test func onlyAReasonAllowsGrowth() {
        let grows = [(1, 1.0), (100, 100.0), (10_000, 10_000.0)]
        let flat = [(1, 1.0), (100, 1.0), (10_000, 1.0)]
        #expect([curve(grows, reason: "Each is read."), curve(flat)].unexplained.isEmpty)
        #expect([curve(grows), curve(flat)].unexplained.count == 1)
    }

    @Test func spreadHasMedianAndQuartiles() {
        #expect(Spread([5, 1, 3, 2, 4]) == Spread(lower: 2, median: 3, upper: 4))
        #expect(Spread([1, 2, 3, 4]) == Spread(lower: 1.75, median: 2.5, upper: 3.25))
        #expect(Spread([2]) == Spread(lower: 2, median: 2, upper: 2))
        #expect(Spread([]) == Spread(lower: 0, median: 0, upper: 0))
    }
}
