import Foundation
import TangoPromise
import Testing

/// Every object is released after its last use.
@Suite(.timeLimit(.minutes(20))) struct LifetimeTests {
    enum End: CaseIterable, Sendable { case fulfilled, cancelledAbove, cancelledBelow, cancelledInTheMiddle }

    @Test(arguments: End.allCases) func aChainIsReleasedWithItsHandlers(end: End) async {
        let census = Census()
        await run(end, census)
        await census.extinction()
    }

    private func run(_ end: End, _ census: Census) async {
        let (source, resolver) = Promise<Being>.pending()
        var chain = source
        var middle = source
        for number in 0..<100 {
            let being = census.newborn()
            chain = chain.next { value in
                withExtendedLifetime(being) {}
                return number == 50 ? Promise(value) : Promise(value).next { $0 }
            }
            if number == 50 { middle = chain }
        }
        switch end {
        case .fulfilled: resolver.fulfill(census.newborn())
        case .cancelledAbove: source.cancel()
        case .cancelledBelow: chain.cancel()
        case .cancelledInTheMiddle: middle.cancel()
        }
        _ = await chain.result
    }

    @Test func combinatorsAreReleasedThoughAnInputNeverSettles() async {
        let census = Census()
        let (never, resolver) = Promise<Int>.pending()
        for _ in 0..<10 {
            let being = census.newborn()
            let (input, settling) = Promise<Int>.pending()
            let output = Promise.all([never, input]).next { _ in withExtendedLifetime(being) {} }
            output.cancel()
            settling.fulfill(1)
        }
        await census.extinction()
        withExtendedLifetime(resolver) {}
    }

    #if os(Linux)
        /// A value of plain bytes that does not fit into a promise itself.
        private struct Page {
            var words = InlineArray<4_096, Int>(repeating: 1)
        }

        @Test func largePlainValuesAreReleased() throws {
            let makeMany = { for _ in 0..<10_000 { _ = Promise.fulfilled(Page()) } }
            makeMany()  // memory that an allocator retains is allocated from here on
            let before = try residentBytes()
            makeMany()
            #expect(try residentBytes() - before < 200_000_000, "of the 328 million that went through")
        }

        private func residentBytes() throws -> Int {
            let numbers = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
            return try #require(Int(numbers[1])) * 4_096
        }
    #endif
}
