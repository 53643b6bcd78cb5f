import Foundation
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// Parsing of the fields that a cache reads: valid values, invalid values and garbage.
struct FieldTests {
    private static let now = 1_800_000_000.0
    private static let moment = 784_111_777.0

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "sun, 06 nov 1994 08:49:37 gmt", " Sun, 06 Nov 1994 08:49:37 GMT ", "Mon, 06 Nov 1994 08:49:37 GMT",
    ])
    func datesAreParsedInThreeFormats(_ text: String) {
        #expect(HTTPDate.parse(text, now: Self.now) == Self.moment)
        #expect(HTTPDate.parseLeniently(text, now: Self.now) == Self.moment)
    }

    @Test(arguments: [
        "Sun, 6 Nov 1994 08:49:37 GMT", "06 Nov 1994 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT",
        "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37", "Sun,  06  Nov  1994  08:49:37  GMT",
        "Sunday, 06 Nov 94 08:49:37 GMT",
    ])
    func otherDateFormatsAreParsedOnlyLeniently(_ text: String) {
        #expect(HTTPDate.parse(text, now: Self.now) == nil)
        #expect(HTTPDate.parseLeniently(text, now: Self.now) == Self.moment)
    }

    @Test(arguments: [
        "", "0", "-1", "now", "Sun", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 1994", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 PST", "784111777",
        "1994-11-06T08:49:37Z", "Sun, 06 Nov 19941 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT extra",
    ])
    func invalidDatesAreNotParsed(_ text: String) {
        #expect(HTTPDate.parse(text, now: Self.now) == nil)
        #expect(HTTPDate.parseLeniently(text, now: Self.now) == nil)
    }

    @Test(arguments: [("50", 2050), ("76", 2076), ("78", 1978), ("99", 1999), ("00", 2000), ("27", 2027)])
    func yearOfTwoDigitsIsAtMostFiftyYearsAhead(_ digits: String, _ year: Int) {
        let one = HTTPDate.parse("Sunday, 06-Nov-\(digits) 08:49:37 GMT", now: Self.now)
        #expect(one == HTTPDate.parse("Sun, 06 Nov \(year) 08:49:37 GMT", now: Self.now))
    }

    @Test func datesMatchThoseOfFoundation() {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: "GMT")!
        var random = SeededNumbers(seed: 7)
        for _ in 0..<2000 {
            let seconds = Double(Int.random(in: 0..<253_402_300_800, using: &random))
            let text = HTTPDate.text(seconds)
            #expect(HTTPDate.parse(text, now: Self.now) == seconds)
            let parts = calendar.dateComponents(
                [.year, .month, .day, .weekday], from: Date(timeIntervalSince1970: seconds))
            #expect(text.contains(HTTPDate.months[parts.month! - 1]))
            #expect(text.hasPrefix(HTTPDate.weekdays[parts.weekday! - 1]))
        }
    }

    @Test(arguments: [
        ("0", 0), ("60", 60), ("00060", 60), ("2147483648", 1 << 31), ("99999999999999999999", 1 << 31), ("", nil),
        ("-1", nil), ("1.0", nil), ("1a", nil), ("a1", nil), (" 1", nil), ("+1", nil), ("٣", nil),
    ])
    func deltaSecondsConsistOfDigits(_ text: String, _ seconds: Int?) {
        #expect(DeltaSeconds.parse(text) == seconds)
    }

    @Test(arguments: [
        ("a, b", ["a", "b"]), ("a,,b,", ["a", "b"]), (" a ,\tb ", ["a", "b"]), ("\"a,b\", c", ["\"a,b\"", "c"]),
        ("\"a\\\",b\", c", ["\"a\\\",b\"", "c"]), ("\"a, b", ["\"a", "b"]), ("", []), (",", []),
        ("a=\"b,c\"", ["a=\"b,c\""]),
    ])
    func listsAreSplitAtCommas(_ text: String, _ elements: [String]) {
        #expect(FieldList.elements(of: text).map(String.init) == elements)
    }

    @Test(arguments: [
        ("bytes 0-4/10", 0..<5, 10), ("bytes 0-4/*", 0..<5, nil), ("BYTES 9-9/10", 9..<10, 10),
        (" bytes 0-0/1 ", 0..<1, 1),
    ])
    func contentRangesAreParsed(_ text: String, _ bytes: Range<Int>, _ total: Int?) {
        #expect(ContentRange(text) == ContentRange(bytes: bytes, total: total))
    }

    @Test(arguments: [
        "", "bytes", "bytes */10", "bytes 4-0/10", "bytes 0-10/10", "bytes 0-4", "lines 0-4/10", "bytes 0-4/x",
        "bytes -4/10", "bytes 0-/10", "bytes 0-99999999999999999999/*", "bytes 0-4/10/10", "bytes=0-4/10",
    ])
    func invalidContentRangesAreNotParsed(_ text: String) {
        #expect(ContentRange(text) == nil)
    }

    @Test(arguments: [
        ("bytes=0-4", ByteRange.from(0, to: 4)), ("bytes=5-", .from(5, to: nil)), ("bytes=-5", .suffix(5)),
        ("Bytes= 0-4 ", .from(0, to: 4)), ("bytes=,0-4,", .from(0, to: 4)),
    ])
    func rangesAreParsed(_ text: String, _ range: ByteRange) {
        #expect(ByteRange(text) == range)
    }

    @Test(arguments: [
        "", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=4-0", "bytes=0-1,2-3", "lines=0-4", "bytes 0-4",
        "bytes=0-4-5", "bytes=99999999999999999999-",
    ])
    func invalidRangesAreNotParsed(_ text: String) {
        #expect(ByteRange(text) == nil)
    }

    @Test(arguments: [
        ("\"a\"", "\"a\"", true, true), ("W/\"a\"", "\"a\"", false, true), ("W/\"a\"", "W/\"a\"", false, true),
        ("\"a\"", "\"b\"", false, false), ("w/\"a\"", "W/\"a\"", false, true), ("abc", "abc", true, true),
        ("\"A\"", "\"a\"", false, false),
    ])
    func tagsAreComparedStronglyAndWeakly(_ one: String, _ two: String, _ strongly: Bool, _ weakly: Bool) throws {
        let one = try #require(EntityTag(one))
        let two = try #require(EntityTag(two))
        #expect(one.isStronglyEqual(to: two) == strongly)
        #expect(two.isStronglyEqual(to: one) == strongly)
        #expect(one.isWeaklyEqual(to: two) == weakly)
        #expect(two.isWeaklyEqual(to: one) == weakly)
    }

    @Test(arguments: [
        ("http://example.com/a/b?c=d", true), ("https://example.com/", true), ("http://example.com", false),
        ("http://example.com:80/", false), ("http://EXAMPLE.com/", false), ("HTTP://example.com/", false),
        ("http://example.com/A", true), ("http://example.com/%61", false), ("http://example.com/a#b", false),
        ("http://example.com/./a", false), ("http://example.com/a/../b", false), ("http://example.com/a.b", true),
        ("http://a:b@example.com/", false), ("http://example.com/.well-known", false), ("http://[::1]/", false),
        ("http://example.com?a/b/c", false), ("http://example.com/a?b=/./c:d", true), ("http://example.com/ä", false),
        ("http://127.0.0.1:8080/a:b", true), ("https://h:1/", true), ("https://h:443/", false),
        ("http://h:443/", false),
        ("http://h:/", false), ("http://h:080/", false), ("http://h:0/", false), ("http://h:8x/", false),
        ("http://h:65529/", true), ("http://h:99999/", false), ("http://h:8:8/", false), ("http:/:/h", false),
    ])
    func normalURLsAreRecognized(_ text: String, _ isNormal: Bool) throws {
        #expect(HTTPCacheKey.isNormal(text) == isNormal)
        if isNormal { #expect(try RequestURL.normalized(#require(URL(string: text))) == text) }
    }

    /// Random combinations of texts that parsers often fail on.
    @Test(arguments: 0..<8)
    func garbageIsParsedSafely(_ seed: Int) {
        var random = SeededNumbers(seed: UInt64(seed) + 1)
        let pieces = [
            "\"", "\\", ",", ";", "=", " ", "\t", "-", "/", "*", "W/", "bytes", "max-age", "no-store", "no-cache", "0",
            "9",
            "99999999999999999999", "Sun", "Nov", "GMT", ":", "q=", "é", "\u{0}", "\u{7f}", "a", "Z", "(", ")", "1994",
            "06",
            "private", "vary", "{", "}", "08:49:37", "stale-if-error",
        ]
        for _ in 0..<500 {
            let count = Int.random(in: 0..<14, using: &random)
            let text = (0..<count).map { _ in pieces.randomElement(using: &random)! }.joined()
            _ = HTTPDate.parse(text, now: Self.now)
            if let date = HTTPDate.parseLeniently(text, now: Self.now) { #expect(date.isFinite) }
            if let range = ContentRange(text) { #expect(ContentRange(range.text) == range) }
            if let range = ByteRange(text) {
                let places = range.places(in: 100)
                #expect(places.lowerBound >= 0 && places.upperBound <= 100)
            }
            if let seconds = DeltaSeconds.parse(text) { #expect((0...DeltaSeconds.most).contains(seconds)) }
            #expect(FieldList.elements(of: text).allSatisfy { !$0.isEmpty && $0.withoutBlanks == $0 })
            let headers: Headers = [
                "Cache-Control": text, "Vary": text, "ETag": text, "Expires": text, "Age": text, "Date": text,
                "Last-Modified": text, "Content-Range": text, "Range": text, "If-None-Match": text, "Pragma": text,
                "If-Modified-Since": text, "If-Range": text, "Connection": text, "Accept-Language": text,
            ]
            let stored = StoredResponse(
                status: 200, headers: headers, requestTime: Self.now, responseTime: Self.now,
                selecting: [
                    SelectingField(name: "accept-language", in: headers)
                ],
                content: StoredContent(Data("0123456789".utf8)))
            #expect(stored.matches(headers))
            let fields = RequestFields(headers)
            let decision = CacheDecision.of(
                [stored], method: .get, headers: headers, fields: fields, situation: CacheSituation(now: Self.now + 5))
            #expect(!decision.explanation.description.isEmpty)
            _ = ConditionalRequest.validating(
                stored, HTTPRequest(url: URL(string: "http://a/")!, headers: headers), fields: fields)
            _ = ValidationOutcome.of(stored, status: 304, headers: headers, fields: fields)
            let updated = stored.updated(with: headers, requestTime: Self.now, responseTime: Self.now)
            #expect(!StoredFields.of(updated.headers, directives: updated.facts.directives, now: Self.now).isEmpty)
        }
    }
}
