import LoopbackServer
import Testing

@testable import TangoRequest
@testable import TangoTransfers
@testable import TestSupport

/// The bytes of a file that are on the disk.
struct FileRangesTests {
    @Test(
        arguments: [
            ([], []),
            ([0..<0], []),
            ([0..<4, 6..<8], [0..<4, 6..<8]),
            ([6..<8, 0..<4], [0..<4, 6..<8]),
            ([0..<4, 4..<8], [0..<8]),
            ([4..<8, 0..<4], [0..<8]),
            ([0..<4, 6..<8, 4..<6], [0..<8]),
            ([0..<4, 6..<8, 2..<7], [0..<8]),
            ([2..<3, 0..<8], [0..<8]),
            ([0..<8, 2..<3], [0..<8]),
        ] as [([Range<Int>], [Range<Int>])])
    func touchingRangesAreOne(_ inserted: [Range<Int>], _ ranges: [Range<Int>]) {
        #expect(FileRanges(inserted).ranges == ranges)
        #expect(FileRanges(inserted).count == ranges.reduce(0) { $0 + $1.count })
    }

    @Test(
        arguments: [
            ([], 8, [0..<8]),
            ([0..<8], 8, []),
            ([0..<4], 8, [4..<8]),
            ([4..<8], 8, [0..<4]),
            ([2..<3, 5..<6], 8, [0..<2, 3..<5, 6..<8]),
            ([], 0, []),
            ([0..<9], 8, []),
        ] as [([Range<Int>], Int, [Range<Int>])])
    func missingRangesAreTheGaps(_ present: [Range<Int>], _ total: Int, _ missing: [Range<Int>]) {
        #expect(FileRanges(present).missing(of: total) == missing)
    }

    @Test(
        arguments: [
            ([], 0, true), ([0..<4, 6..<8], 8, true), ([0..<4, 6..<8], 7, false), ([6..<8, 0..<4], 8, false),
            ([0..<4, 4..<8], 8, false), ([0..<0], 8, false), ([-1..<4], 8, false),
        ] as [([Range<Int>], Int, Bool)])
    func recordOfAnotherFileIsRefused(_ stored: [Range<Int>], _ size: Int, _ isValid: Bool) {
        #expect((FileRanges(stored: stored, size: size) != nil) == isValid)
    }

    /// Compares with a set of single bytes.
    @Test(arguments: 1...20)
    func rangesAreThoseOfASet(_ seed: Int) {
        var dice = SeededNumbers(seed: UInt64(seed))
        var ranges = FileRanges()
        var bytes: Set<Int> = []
        for _ in 0..<200 {
            let start = Int.random(in: 0..<300, using: &dice)
            let range = start..<min(300, start + Int.random(in: 0...12, using: &dice))
            ranges.insert(range)
            bytes.formUnion(range)
            #expect(Set(ranges.ranges.joined()) == bytes)
            #expect(Set(ranges.missing(of: 300).joined()) == Set(0..<300).subtracting(bytes))
            #expect(FileRanges(stored: ranges.ranges, size: 300) == ranges)
        }
    }
}
