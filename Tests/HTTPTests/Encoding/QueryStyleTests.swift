import Foundation
import TangoRequest
import Testing

@testable import TestSupport

@Suite struct QueryStyleTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let style: QueryStyle
        let query: Query
        let text: String

        init(_ style: QueryStyle, _ query: Query, _ text: String) {
            self.style = style
            self.query = query
            self.text = text
        }

        var testDescription: String { text }
    }

    private static let objects: QueryValue = [["x": 1, "y": [2, 3]], ["x": 4]]

    @Test(arguments: [
        Row(QueryStyle(), ["a": [1, 2]], "a=1&a=2"),
        Row(QueryStyle(arrays: .brackets), ["a": [1, 2]], "a[]=1&a[]=2"),
        Row(QueryStyle(arrays: .indexed), ["a": [1, 2]], "a[0]=1&a[1]=2"),
        Row(QueryStyle(arrays: .commas), ["a": [1, 2]], "a=1,2"),
        Row(QueryStyle(arrays: .commas), ["a": [1]], "a=1"),
        Row(QueryStyle(arrays: .commas), ["a": [true, false]], "a=true,false"),
        Row(QueryStyle(arrays: .commas), ["a": [[1, 2], [3]] as QueryValue], "a=1,2,3"),
        Row(QueryStyle(arrays: .commas), ["a": [] as [Int], "b": [nil, nil] as [Int?]], ""),
        Row(QueryStyle(arrays: .commas, nulls: .empty), ["a": [1, nil, 2]], "a=1,,2"),
        Row(QueryStyle(arrays: .commas, nulls: .nameOnly), ["a": [1, nil]], "a=1,"),
        Row(QueryStyle(arrays: .commas, nulls: .word), ["a": [nil, 2]], "a=null,2"),
        Row(QueryStyle(arrays: .commas), ["a": [1, nil, 2]], "a=1,2"),
        Row(QueryStyle(arrays: .indexed), ["a": [1, nil, 2]], "a[0]=1&a[2]=2"),
        Row(QueryStyle(arrays: .brackets), ["a": [] as [Int], "b": 1], "b=1"),
        // Lists in lists, and objects in lists.
        Row(QueryStyle(), ["a": [[1, 2], [3]]], "a=1&a=2&a=3"),
        Row(QueryStyle(arrays: .brackets), ["a": [[1, 2], [3]]], "a[][]=1&a[][]=2&a[][]=3"),
        Row(QueryStyle(arrays: .indexed), ["a": [[1, 2], [3]]], "a[0][0]=1&a[0][1]=2&a[1][0]=3"),
        Row(QueryStyle(), ["a": objects], "a[x]=1&a[y]=2&a[y]=3&a[x]=4"),
        Row(QueryStyle(arrays: .brackets), ["a": objects], "a[][x]=1&a[][y][]=2&a[][y][]=3&a[][x]=4"),
        Row(QueryStyle(arrays: .indexed), ["a": objects], "a[0][x]=1&a[0][y][0]=2&a[0][y][1]=3&a[1][x]=4"),
        Row(QueryStyle(arrays: .indexed, nesting: .dots), ["a": objects], "a[0].x=1&a[0].y[0]=2&a[0].y[1]=3&a[1].x=4"),
        Row(QueryStyle(), ["a": ["b": ["c": 1]]], "a[b][c]=1"),
        Row(QueryStyle(nesting: .dots), ["a": ["b": ["c": 1]]], "a.b.c=1"),
        Row(QueryStyle(), ["a": [:] as Query, "b": 1], "b=1"),
        Row(QueryStyle(arrays: .commas), ["a": ["b": [1, 2]]], "a[b]=1,2"),
        // Single values.
        Row(QueryStyle(), ["a": true, "b": false], "a=true&b=false"),
        Row(QueryStyle(booleans: .digits), ["a": true, "b": false], "a=1&b=0"),
        Row(QueryStyle(booleans: .yesNo), ["a": true, "b": false], "a=yes&b=no"),
        Row(QueryStyle(), ["a": nil, "b": 1], "b=1"),
        Row(QueryStyle(nulls: .empty), ["a": nil, "b": 1], "a=&b=1"),
        Row(QueryStyle(nulls: .nameOnly), ["a": nil, "b": 1], "a&b=1"),
        Row(QueryStyle(nulls: .word), ["a": nil, "b": 1], "a=null&b=1"),
        Row(QueryStyle(nulls: .empty), ["a": ["b": nil, "c": 1]], "a[b]=&a[c]=1"),
        Row(QueryStyle(order: .sorted), [("b", 1), ("a", 2), ("b", 0), ("B", 3), ("a.b", 4)], "B=3&a=2&a.b=4&b=1&b=0"),
        Row(QueryStyle(order: .sorted), ["b": ["y": 1, "x": [2, 1]] as Query, "a": 0], "a=0&b[x]=2&b[x]=1&b[y]=1"),
        Row(QueryStyle(order: .sorted), [("é", 1), ("z", 2), ("", 3)], "=3&z=2&é=1"),
        Row(
            QueryStyle(order: .sorted), [("\u{e9}", 1), ("e\u{301}", 2), ("\u{e9}", 3)], "e\u{301}=2&\u{e9}=1&\u{e9}=3"),
    ])
    func styleIsApplied(_ row: Row) throws {
        #expect(PercentEncoding.decode(try row.query.encoded(row.style)) == row.text)
        #expect(PercentEncoding.decode(try row.query.formEncoded(row.style)) == row.text)
    }

    @Test(arguments: [
        (QueryStyle(), "q=a%20b", "q=a+b"), (QueryStyle(spaces: .percent), "q=a%20b", "q=a%20b"),
        (QueryStyle(spaces: .plus), "q=a+b", "q=a+b"),
    ])
    func spaceIsWrittenInTheStyle(_ style: QueryStyle, _ url: String, _ form: String) throws {
        let query: Query = ["q": "a b"]
        #expect(try query.encoded(style) == url)
        #expect(try query.formEncoded(style) == form)
        guard case .data(let body) = try Body.form(query, style: style).encoded(with: .default).content else {
            Issue.record("a form is data")
            return
        }
        #expect(body == Data(form.utf8))
    }

    @Test func commaInAnElementIsEscaped() throws {
        let style = QueryStyle(arrays: .commas)
        #expect(try Query(["a": ["x,y", "z"]]).encoded(style) == "a=x%2Cy,z")
        #expect(try Query(["a": ["x,y", "z"]]).formEncoded(style) == "a=x%2Cy,z")
    }

    @Test func listOfObjectsCannotBeJoinedByCommas() throws {
        let error = try #require(throws: RequestEncodingError.self) {
            try Query(["a": Self.objects]).encoded(QueryStyle(arrays: .commas))
        }
        #expect(error.code == .unsupportedValue)
        #expect(error.message.contains("“a”"))
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z", "0", "0"),
            (1_700_000_000, "2023-11-14T22:13:20Z", "1700000000", "1700000000000"),
            (1_700_000_000.25, "2023-11-14T22:13:20.250Z", "1700000000.25", "1700000000250"),
            (1_700_000_000.9996, "2023-11-14T22:13:21Z", "1700000001", "1700000001000"),
            (-0.001, "1969-12-31T23:59:59.999Z", "-0.001", "-1"),
            (-86_400, "1969-12-31T00:00:00Z", "-86400", "-86400000"),
            (-2_203_891_200, "1900-03-01T00:00:00Z", "-2203891200", "-2203891200000"),
            (-12_219_379_200, "1582-10-14T00:00:00Z", "-12219379200", "-12219379200000"),
            (4_107_542_399, "2100-02-28T23:59:59Z", "4107542399", "4107542399000"),
            (951_782_400, "2000-02-29T00:00:00Z", "951782400", "951782400000"),
            (253_402_300_799, "9999-12-31T23:59:59Z", "253402300799", "253402300799000"),
            (-62_135_596_800, "0001-01-01T00:00:00Z", "-62135596800", "-62135596800000"),
        ] as [(Double, String, String, String)])
    func dateIsWritten(_ time: Double, _ iso: String, _ seconds: String, _ milliseconds: String) throws {
        let query: Query = ["d": Date(timeIntervalSince1970: time)]
        #expect(try query.encoded(QueryStyle(dates: .iso8601)) == "d=" + iso.replacing(":", with: "%3A"))
        #expect(try query.encoded(QueryStyle(dates: .seconds)) == "d=" + seconds)
        #expect(try query.encoded(QueryStyle(dates: .milliseconds)) == "d=" + milliseconds)
        let style = QueryStyle(dates: .custom { "<\(abs($0.timeIntervalSince1970 - time) < 1e-6)>" })
        #expect(try query.encoded(style) == "d=%3Ctrue%3E")
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, 253_402_300_800, -62_135_596_801])
    func dateOutsideTheCalendarIsRejected(_ time: Double) throws {
        let query: Query = ["d": Date(timeIntervalSince1970: time)]
        for dates in [QueryStyle.Dates.iso8601, .seconds, .milliseconds] {
            let error = try #require(throws: RequestEncodingError.self) { try query.encoded(QueryStyle(dates: dates)) }
            #expect(error.code == .unsupportedValue)
        }
    }
}
