import LoopbackServer
import Testing

@testable import TangoRequest
@testable import TangoTransfers
@testable import TestSupport

/// The table of ``PartSplit``.
struct PartSplitTests {
    static let rows: [(missing: [Range<Int>], count: Int, minimum: Int, parts: [Range<Int>])] = [
        ([0..<100], 1, 10, [0..<100]),
        ([0..<100], 4, 10, [0..<25, 25..<50, 50..<75, 75..<100]),
        ([0..<100], 3, 10, [0..<34, 34..<67, 67..<100]),
        ([0..<100], 4, 40, [0..<50, 50..<100]),
        ([0..<100], 4, 51, [0..<100]),
        ([0..<0], 4, 1, []),
        ([], 4, 1, []),
        ([0..<2], 4, 1, [0..<1, 1..<2]),
        // The largest gap is split.
        ([0..<10, 20..<50], 3, 5, [0..<10, 20..<35, 35..<50]),
        ([0..<10, 20..<50], 4, 5, [0..<10, 20..<30, 30..<40, 40..<50]),
        // More gaps than connections.
        ([0..<10, 20..<30, 40..<50], 2, 1, [0..<10, 20..<30, 40..<50]),
    ]

    @Test(arguments: rows)
    func missingRangesAreSplit(_ missing: [Range<Int>], _ count: Int, _ minimum: Int, _ parts: [Range<Int>]) {
        #expect(PartSplit.parts(of: missing, .upTo(count, minimumSize: minimum)) == parts)
    }

    @Test(arguments: 1...20)
    func partsAreExactlyWhatIsMissing(_ seed: Int) {
        var dice = SeededNumbers(seed: UInt64(seed))
        for _ in 0..<200 {
            var present = FileRanges()
            for _ in 0..<Int.random(in: 0...5, using: &dice) {
                let start = Int.random(in: 0..<1000, using: &dice)
                present.insert(start..<min(1000, start + Int.random(in: 0...300, using: &dice)))
            }
            let missing = present.missing(of: 1000)
            let wanted = DownloadParts.upTo(
                Int.random(in: 1...16, using: &dice), minimumSize: Int.random(in: 1...200, using: &dice))
            let parts = PartSplit.parts(of: missing, wanted)
            #expect(FileRanges(parts) == FileRanges(missing))
            #expect(parts.reduce(0) { $0 + $1.count } == FileRanges(missing).count)
            #expect(parts.count <= max(wanted.count, missing.count))
            #expect(parts.allSatisfy { $0.count >= wanted.minimumSize || missing.contains($0) })
        }
    }

    private static let tag = ResumeValidator(.entityTag, "\"a\"")
    private static let ranges: Headers = ["Accept-Ranges": "bytes"]

    static let responses: [(HTTPStatus, Headers, Int?, ResumeValidator?, Int, Int?)] = [
        (200, ranges, 100, tag, 4, 4),
        (200, ["Accept-Ranges": "Bytes"], 100, tag, 4, 4),
        (200, ranges, 100, tag, 1, nil),
        (200, ranges, 100, nil, 4, nil),
        (200, ranges, nil, tag, 4, nil),
        (200, ranges, 19, tag, 4, nil),
        (200, ["Accept-Ranges": "none"], 100, tag, 4, nil),
        (200, [:], 100, tag, 4, nil),
        (203, ranges, 100, tag, 4, nil),
    ]

    @Test(arguments: responses)
    func onlyAServerWithRangesIsAskedForParts(
        _ status: HTTPStatus, _ headers: Headers, _ total: Int?, _ validator: ResumeValidator?, _ count: Int,
        _ parts: Int?
    ) {
        let found = PartSplit.parts(
            of: total, status, headers, validator: validator, .upTo(count, minimumSize: 10))
        #expect(found?.count == parts)
    }

    @Test(arguments: [
        (0, 1, true), (1, 1, false), (16, 1, false), (17, 1, true), (-1, 1, true), (4, 0, true), (4, -1, true),
    ])
    func invalidNumbersHaveAnError(_ count: Int, _ minimum: Int, _ isRefused: Bool) {
        #expect((DownloadParts.upTo(count, minimumSize: minimum).problem != nil) == isRefused)
    }

    @Test func resumedFileIsSplitAgain() {
        func start(_ partial: PartialContent, _ count: Int) -> ResumeDecision.Start? {
            ResumeDecision.start(after: partial, isGet: true, .upTo(count, minimumSize: 10))
        }
        // Without gaps.
        let begun = PartialContent(count: 40, validator: Self.tag, total: 100)
        #expect(start(begun, 1)?.end == nil)
        #expect(start(begun, 3)?.parts == [40..<60, 60..<80, 80..<100])
        #expect(start(begun, 3)?.present == FileRanges([0..<40]))
        #expect(start(begun, 3)?.end == 60)
        // The rest is too small for two parts, or its size is unknown.
        #expect(start(PartialContent(count: 90, validator: Self.tag, total: 100), 3)?.end == nil)
        #expect(start(PartialContent(count: 40, validator: Self.tag, total: nil), 3)?.end == nil)
        // With gaps, also over one connection.
        let gaps = FileRanges([0..<20, 50..<60])
        let parted = PartialContent(count: 30, validator: Self.tag, total: 100, parts: gaps)
        #expect(start(parted, 1)?.parts == [20..<50, 60..<100])
        #expect(start(parted, 1)?.offset == 20)
        #expect(start(parted, 3)?.parts == [20..<50, 60..<80, 80..<100])
        // All bytes are there.
        let whole = PartialContent(count: 100, validator: Self.tag, total: 100, parts: FileRanges([0..<100]))
        #expect(start(whole, 3) == ResumeDecision.Start(offset: 100, validator: Self.tag, total: 100))
    }

    @Test(arguments: [("bytes 20-49/100", true), ("bytes 20-39/100", true), ("bytes 20-50/100", false)])
    func partEndsWhereItWasRequested(_ range: String, _ isPart: Bool) {
        let start = ResumeDecision.Start(offset: 20, validator: Self.tag, total: 100, end: 50)
        let decision = ResumeDecision.of(206, ["Content-Range": range], after: start)
        #expect(decision == (isPart ? .append(total: 100) : .again))
    }

    @Test func recordOfPartsIsThatOfTheFile() {
        var record = ResumeRecord(resource: "a", validator: Self.tag, total: 100)
        record.setParts(FileRanges([0..<20, 50..<60]))
        #expect(record.partial(60, of: "a")?.parts?.missing(of: 100) == [20..<50, 60..<100])
        #expect(record.partial(60, of: "a")?.count == 30)
        #expect(record.partial(59, of: "a") == nil)
        #expect(record.partial(101, of: "a") == nil)
        #expect(record.partial(60, of: "b") == nil)
        // A release without parts ignores the ranges, so it must not use the record.
        #expect(record.version != ResumeRecord.version)
        record.version = ResumeRecord.version
        #expect(record.partial(60, of: "a") == nil)
    }
}
