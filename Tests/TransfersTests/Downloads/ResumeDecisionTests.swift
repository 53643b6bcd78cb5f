import Testing

@testable import TangoRequest
@testable import TangoTransfers
@testable import TestSupport

/// The tables of ``ResumeDecision`` and ``ResumeValidator``.
struct ResumeDecisionTests {
    private static let tag = ResumeValidator(.entityTag, "\"a\"")
    private static let date = ResumeValidator(.lastModified, "Sun, 06 Nov 1994 08:49:37 GMT")

    struct Row: Sendable, CustomTestStringConvertible {
        let status: Int
        let headers: Headers
        let isDecoded: Bool
        let start: ResumeDecision.Start?
        let decision: ResumeDecision

        var testDescription: String { "\(status) \(headers) after \(start?.offset ?? 0)" }

        init(
            _ status: Int, _ headers: Headers, isDecoded: Bool = false, after start: ResumeDecision.Start?,
            _ decision: ResumeDecision
        ) {
            self.status = status
            self.headers = headers
            self.isDecoded = isDecoded
            self.start = start
            self.decision = decision
        }
    }

    private static let whole: ResumeDecision.Start? = nil
    private static let part = ResumeDecision.Start(offset: 40, validator: tag, total: 100)
    private static let unknown = ResumeDecision.Start(offset: 40, validator: tag, total: nil)
    private static let dated = ResumeDecision.Start(offset: 40, validator: date, total: 100)

    private static let twice = Headers(
        Array(repeating: (name: "Content-Range", value: "bytes 40-99/100"), count: 2))

    static let rows: [Row] = [
        Row(200, ["Content-Length": "100"], after: whole, .begin(total: 100)),
        Row(200, [:], after: whole, .begin(total: nil)),
        Row(203, ["Content-Length": "1"], after: whole, .begin(total: 1)),
        Row(200, ["Content-Length": "60", "Content-Encoding": "identity"], after: whole, .begin(total: 60)),
        Row(200, ["Content-Length": "60"], isDecoded: true, after: whole, .begin(total: nil)),
        Row(200, ["Content-Length": "90"], after: part, .begin(total: 90)),
        Row(206, ["Content-Range": "bytes 40-99/100"], after: part, .append(total: 100)),
        Row(206, ["Content-Range": "bytes 40-59/100"], after: part, .append(total: 100)),
        Row(206, ["Content-Range": "bytes 40-99/100", "ETag": "\"a\""], after: part, .append(total: 100)),
        Row(206, ["Content-Range": "bytes 40-99/100", "ETag": "\"b\""], after: part, .again),
        Row(206, ["Content-Range": "bytes 40-99/100", "ETag": "W/\"a\""], after: part, .again),
        Row(206, ["Content-Range": "bytes 40-99/100", "Content-Encoding": "gzip"], after: part, .again),
        Row(206, ["Content-Range": "bytes 40-99/100", "Content-Encoding": "br, gzip"], after: unknown, .again),
        Row(206, ["Content-Range": "bytes 40-99/100", "Content-Encoding": "br"], after: part, .again),
        Row(
            206, ["Content-Range": "bytes 40-99/100", "Content-Encoding": "Identity"], after: part, .append(total: 100)),
        Row(206, ["Content-Range": "bytes 40-99/100"], isDecoded: true, after: part, .again),
        Row(206, ["Content-Range": "bytes 41-99/100"], after: part, .again),
        Row(206, ["Content-Range": "bytes 0-99/100"], after: part, .again),
        Row(206, ["Content-Range": "bytes 40-100/101"], after: part, .again),
        Row(206, ["Content-Range": "bytes 40-99/*"], after: part, .again),
        Row(206, ["Content-Range": "bytes 40-100/100"], after: part, .again),
        Row(206, ["Content-Range": "items 40-99/100"], after: part, .again),
        Row(206, ["Content-Range": "bytes 40-99/100, bytes 40-99/100"], after: part, .again),
        Row(206, twice, after: part, .again),
        Row(206, [:], after: part, .again),
        Row(206, ["Content-Type": "multipart/byteranges; boundary=x"], after: part, .again),
        Row(206, ["Content-Range": "bytes 40-99/*"], after: unknown, .append(total: nil)),
        Row(206, ["Content-Range": "bytes 40-99/100"], after: unknown, .append(total: 100)),
        Row(416, ["Content-Range": "bytes */40"], after: unknown, .complete),
        Row(416, ["Content-Range": "bytes */100"], after: part, .again),
        Row(416, ["Content-Range": "bytes */40"], after: part, .again),
        Row(416, ["Content-Range": "bytes */41"], after: unknown, .again),
        Row(416, ["Content-Range": "bytes */40", "ETag": "\"b\""], after: unknown, .again),
        Row(416, ["Content-Range": "bytes 40-99/40"], after: unknown, .again),
        Row(416, [:], after: unknown, .again),
        Row(416, [:], after: whole, .pass),
        Row(
            206, ["Content-Range": "bytes 40-99/100", "Last-Modified": date.text.text], after: dated,
            .append(total: 100)),
        Row(
            206, ["Content-Range": "bytes 40-99/100", "Last-Modified": "Sun, 06 Nov 1994 08:49:38 GMT"], after: dated,
            .again),
        Row(404, [:], after: part, .pass),
        Row(302, [:], after: part, .pass),
        Row(304, [:], after: part, .pass),
        Row(503, [:], after: whole, .pass),
    ]

    @Test(arguments: rows)
    func responseDecides(_ row: Row) {
        let decision = ResumeDecision.of(
            HTTPStatus(row.status), row.headers, isDecoded: row.isDecoded, after: row.start)
        #expect(decision == row.decision)
    }

    @Test(arguments: [(206, nil), (204, part), (205, nil)] as [(Int, ResumeDecision.Start?)])
    func responseWithoutTheFileIsRefused(_ status: Int, _ start: ResumeDecision.Start?) {
        guard case .refuse(let reason) = ResumeDecision.of(HTTPStatus(status), [:], after: start) else {
            Issue.record("\(status) was not refused")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test func encodedFileIsRefused() {
        guard case .refuse(let reason) = ResumeDecision.of(.ok, ["Content-Encoding": "GZIP"], after: Self.whole) else {
            Issue.record("an encoded file was not refused")
            return
        }
        #expect(reason.contains("gzip"))
    }

    @Test func onlyBytesWithAValidatorAreResumed() {
        func offset(_ partial: PartialContent?, isGet: Bool = true) -> Int? {
            ResumeDecision.start(after: partial, isGet: isGet)?.offset
        }
        #expect(offset(PartialContent(count: 40, validator: Self.tag, total: 100)) == 40)
        #expect(offset(PartialContent(count: 100, validator: Self.tag, total: 100)) == 100)
        #expect(offset(PartialContent(count: 40, validator: Self.date, total: nil)) == 40)
        #expect(offset(PartialContent(count: 101, validator: Self.tag, total: 100)) == nil)
        #expect(offset(PartialContent(count: 40, validator: nil, total: 100)) == nil)
        #expect(offset(PartialContent(count: 0, validator: Self.tag, total: 100)) == nil)
        #expect(offset(PartialContent(count: 40, validator: Self.tag, total: 100), isGet: false) == nil)
        #expect(offset(nil) == nil)
    }

    private static let old = "Sun, 06 Nov 1994 08:49:37 GMT"

    static let validators: [(Headers, ResumeValidator?)] = [
        (["ETag": "\"a\""], tag),
        (["ETag": "W/\"a\""], nil),
        (["ETag": "w/\"a\""], nil),
        (["ETag": "a"], nil),
        (["ETag": "\""], nil),
        (["ETag": "\"a\"", "Accept-Ranges": "none"], nil),
        (["ETag": "\"a\"", "Accept-Ranges": "bytes"], tag),
        (["ETag": "\"a\"", "Content-Encoding": "gzip"], nil),
        (["ETag": "\"a\"", "Content-Encoding": "identity"], tag),
        (["Last-Modified": old, "Date": "Sun, 06 Nov 1994 08:50:37 GMT"], date),
        (["Last-Modified": old, "Date": "Sun, 06 Nov 1994 08:50:36 GMT"], nil),
        (["Last-Modified": old, "Date": "yesterday"], nil),
        (["Last-Modified": old], nil),
        (["ETag": "W/\"a\"", "Last-Modified": old, "Date": "Sun, 06 Nov 1994 09:50:37 GMT"], date),
        ([:], nil),
    ]

    @Test(arguments: validators)
    func onlyAStrongValidatorCounts(_ headers: Headers, _ validator: ResumeValidator?) {
        #expect(ResumeValidator(headers, now: 800_000_000) == validator)
    }
}
