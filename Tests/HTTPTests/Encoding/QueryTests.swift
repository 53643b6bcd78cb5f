import Foundation
import TangoRequest
import Testing

@testable import TestSupport

@Suite struct QueryTests {
    enum Sort: String, QueryConvertible { case newest, oldest }
    enum Level: Int, Codable, QueryConvertible { case low = 1, high }
    enum Plain: String { case first, second }
    struct User: Codable, Sendable { var id = 7, name: String? }
    struct Tag: RawRepresentable, QueryConvertible { let rawValue: String }
    struct Area: Encodable, QueryConvertible { var north = 0.5, east: Int? }

    @Test func literalTakesValuesOfEveryKind() throws {
        let author = 3
        let optional: Int? = nil
        let name: String? = "Ada"
        let tags = ["a", "b"]
        let ids: [Int]? = [1, 2]
        let holes: [Int?] = [1, nil]
        let sort = Sort.newest
        let none: Sort? = nil
        let text: Substring = "abc".dropFirst()
        let page: UInt8 = 7
        let ratio: Float = 0.1
        let id = try #require(UUID(uuidString: "9B1DEB4D-3B7D-4BAD-9BDD-2B0D7B3DCB6D"))
        let link = try #require(URL(string: "https://h/?a=b"))
        let counts = ["x": 1, "w": 2]
        let texts = ["y": "a b"]
        let gaps: [String: Int?] = ["v": nil, "u": 1]
        let noPlain: Plain? = nil
        let query: Query = [
            "author": author, "literal": 3, "optional": optional, "name": name, "none": none, "q": nil, "tags": tags,
            "list": ["c", "d"], "ids": ids, "holes": holes, "sort": sort, "sorts": [Sort.oldest], "level": Level.high,
            "tag": Tag(rawValue: "t"), "text": text, "page": page, "ratio": ratio, "half": 0.5, "whole": 2.0,
            "sum": author + 1, "yes": true, "since": Date(timeIntervalSince1970: 0), "id": id, "link": link,
            "data": Data([1, 2]), "price": Decimal(string: "1.50"), "deep": ["x": 1], "map": Query(sorting: counts),
            "mixed": ["b": 1, "a": "z", "n": nil, "o": name, "in": ["t": true]], "empty": "", "area": Area(),
            "pair": ["p": 1, "o": 2] as Query, "any": [1, "b", nil, [true]] as QueryValue, "format": "\(author)!",
            "plain": Plain.first, "plains": [Plain.first, .second], "noPlain": noPlain, "counts": counts,
            "texts": texts, "gaps": gaps, "list": [1, "b", nil, [true, Plain.first]], "user": User(),
        ]
        let pairs = try query.encoded().split(separator: "&").map { PercentEncoding.decode($0) }
        #expect(
            pairs == [
                "author=3", "literal=3", "name=Ada", "tags=a", "tags=b", "list=c", "list=d", "ids=1", "ids=2",
                "holes=1", "sort=newest", "sorts=oldest", "level=2", "tag=t", "text=bc", "page=7", "ratio=0.1",
                "half=0.5", "whole=2", "sum=4", "yes=true", "since=1970-01-01T00:00:00Z",
                "id=9B1DEB4D-3B7D-4BAD-9BDD-2B0D7B3DCB6D", "link=https://h/?a=b", "data=AQI=", "price=1.5",
                "deep[x]=1", "map[w]=2", "map[x]=1", "mixed[a]=z", "mixed[b]=1", "mixed[in][t]=true", "mixed[o]=Ada",
                "empty=", "area[north]=0.5", "pair[p]=1", "pair[o]=2", "any=1", "any=b", "any=true", "format=3!",
                "plain=first", "plains=first", "plains=second", "counts[w]=2", "counts[x]=1", "texts[y]=a b",
                "gaps[u]=1",
                "list=1", "list=b", "list=true", "list=first", "user[id]=7",
            ])
    }

    @Test func orderAndDuplicatesArePreserved() throws {
        let query: Query = [("b", 1), ("a", "x"), ("b", nil), ("b", 2)]
        #expect(try query.encoded() == "b=1&a=x&b=2")
        #expect(query.all("b") == [1, nil, 2])
        #expect(query.fields.map(\.name) == ["b", "a", "b", "b"])
        #expect(try Query(["b": 2, "a": 1]).encoded() == "b=2&a=1")
        let names = (0..<200).map { "name\($0)" }
        #expect(Query(pairs: names.map { ($0, 1) }).fields.map(\.name) == names)
        #expect(try Query(sorting: ["b": 2, "a": 1, "é": 3, "c": 4]).encoded() == "a=1&b=2&c=4&%C3%A9=3")
    }

    @Test func dictionaryIsAQuery() throws {
        let texts = ["b": "x y", "a": "z"]
        let gaps: [String: Int?] = ["v": nil, "u": 1]
        #expect(try Query(texts).encoded() == "a=z&b=x%20y")
        #expect(try Query(gaps).encoded() == "u=1")
        let endpoints: [Endpoint] = [
            .get("/", query: texts), .head("/", query: texts), .delete("/", query: texts), .options("/", query: texts),
        ]
        #expect(try endpoints.map { try $0.query.encoded() } == Array(repeating: "a=z&b=x%20y", count: 4))
        #expect(endpoints.map(\.method) == [.get, .head, .delete, .options])
        // A literal is a query, which is ordered.
        #expect(try Endpoint.get("/", query: ["b": 1, "a": 2]).query.encoded() == "b=1&a=2")
    }

    @Test func innerLiteralOfAQueryIsOrderedAndTakesOptionals() throws {
        let name: String? = "x"
        let count: Int? = nil
        let query: Query = ["in": ["z": 1, "a": name, "b": count] as Query]
        #expect(try query.encoded(QueryStyle(nesting: .dots)) == "in.z=1&in.a=x")
    }

    @Test func errorNamesTheUnencodableValue() throws {
        final class View {}
        for query: Query in [["a": 1, "view": View()], ["view": [1, View()]], ["view": [["x": View()]]]] {
            let error = try #require(throws: RequestEncodingError.self) { try query.encoded() }
            #expect(error.code == .unsupportedValue)
            #expect(error.message.contains("“view"), "\(error)")
            #expect(error.message.contains("View, which is not Encodable"), "\(error)")
        }
    }

    @Test func queryIsChanged() throws {
        var query: Query = ["a": 1]
        query.append("x", named: "b")
        query.append(nil as Int?, named: "c")
        query.append(contentsOf: [("a", 2), ("a", 3)])
        query["b"] = "y"
        query["d"] = true
        #expect(try query.encoded() == "a=1&b=y&a=2&a=3&d=true")
        query["a"] = 9
        #expect(try query.encoded() == "a=9&b=y&d=true")
        query["b"] = nil
        #expect(query["b"] == nil)
        #expect(query["c"] == .null)
        #expect(try (query + ["z": 0]).encoded() == "a=9&d=true&z=0")
        #expect(Query().isEmpty)
        #expect(!query.isEmpty)
    }

    @Test(
        arguments: [
            ("", []),
            ("&&", []),
            ("a", [("a", "")]),
            ("a=", [("a", "")]),
            ("=", [("", "")]),
            ("=b", [("", "b")]),
            ("a=b", [("a", "b")]),
            ("a=b=c", [("a", "b=c")]),
            ("a=1&a=2&b=3", [("a", "1"), ("a", "2"), ("b", "3")]),
            ("&a=1&&b=2&", [("a", "1"), ("b", "2")]),
            ("a+b=c+d", [("a b", "c d")]),
            ("a%2Bb=%26%3D", [("a+b", "&=")]),
            ("a%5B%5D=1&a[]=2", [("a[]", "1"), ("a[]", "2")]),
            ("%=%&%f=%zz", [("%", "%"), ("%f", "%zz")]),
            ("q=caf%C3%A9%F0%9F%98%80", [("q", "café😀")]),
            ("q=%FF", [("q", "\u{fffd}")]),
            ("a=\u{301}b&\u{301}=c", [("a", "\u{301}b"), ("\u{301}", "c")]),
            ("a\r\n=b\n", [("a\r\n", "b\n")]),
            ("?a=1", [("?a", "1")]),
            ("\u{feff}test=x", [("\u{feff}test", "x")]),
        ] as [(String, [(String, String)])])
    func textIsParsedLikeFormsInBrowsers(_ text: String, _ pairs: [(String, String)]) throws {
        let query = Query(parsing: text)
        #expect(query.fields == pairs.map { Query.Field(name: $0.0, value: .text($0.1)) })
        #expect(Query(parsing: try query.formEncoded()) == query)
        #expect(Query(parsing: try query.encoded()) == query)
    }

    @Test func plusMayBeParsedAsAPlus() {
        #expect(Query(parsing: "tz=+02:00", plusAsSpace: false)["tz"] == "+02:00")
    }

    @Test(arguments: [
        ("a b", "x y", "a%20b=x%20y", "a+b=x+y"),
        ("a+b", "1+1", "a%2Bb=1%2B1", "a%2Bb=1%2B1"),
        ("a&b=c", "#?/", "a%26b%3Dc=%23%3F%2F", "a%26b%3Dc=%23%3F%2F"),
        ("t", "~*-._'()!", "t=~*-._'()!", "t=%7E*-._%27%28%29%21"),
        ("%", "%20", "%25=%2520", "%25=%2520"),
        ("é", "日本😀", "%C3%A9=%E6%97%A5%E6%9C%AC%F0%9F%98%80", "%C3%A9=%E6%97%A5%E6%9C%AC%F0%9F%98%80"),
        ("", "", "=", "="),
        ("a[b]", "c", "a%5Bb%5D=c", "a%5Bb%5D=c"),
        ("l", "a\r\nb\tc\u{0}", "l=a%0D%0Ab%09c%00", "l=a%0D%0Ab%09c%00"),
    ])
    func urlsAndFormsAreEncodedDifferently(_ name: String, _ value: String, _ url: String, _ form: String) throws {
        let query: Query = [name: value]
        #expect(try query.encoded() == url)
        #expect(try query.formEncoded() == form)
        #expect(try query.encoded(QueryStyle(spaces: .plus)) == url.replacing("%20", with: "+"))
    }

    @Test(arguments: [
        (Double.nan, "nan"), (.infinity, "inf"), (-.infinity, "-inf"),
    ])
    func numberThatIsNotFiniteIsRejected(_ number: Double, _ word: String) throws {
        for query: Query in [
            ["a": number], ["b": [1, number]], ["c": ["d": number]], ["e": Float(number)],
            ["f": QueryValue.number(number)],
        ] {
            let error = try #require(throws: RequestEncodingError.self) { try query.encoded() }
            #expect(error.code == .unsupportedValue)
            #expect(error.message.contains(word), "\(error)")
        }
    }

    @Test(
        arguments: [
            (0.0, "0"), (-0.0, "-0"), (1, "1"), (-1.5, "-1.5"), (0.1, "0.1"), (1e15, "1000000000000000"),
            (1e16, "1e%2B16"),
            (1e-7, "1e-07"), (.greatestFiniteMagnitude, "1.7976931348623157e%2B308"), (.pi, "3.141592653589793"),
        ] as [(Double, String)])
    func numberIsWrittenWithoutLoss(_ number: Double, _ text: String) throws {
        #expect(try Query(["n": number]).encoded() == "n=" + text)
        #expect(Double(PercentEncoding.decode(text)) == number)
    }

    @Test func integersOfEveryWidthAreWritten() throws {
        let query: Query = ["a": Int8.min, "b": UInt64.max, "c": Int128.min, "d": UInt128.max, "e": Int64.min]
        #expect(
            try query.encoded() == "a=-128&b=18446744073709551615&c=-170141183460469231731687303715884105728"
                + "&d=340282366920938463463374607431768211455&e=-9223372036854775808")
    }

    @Test func tooDeepValueIsRejected() throws {
        var value: QueryValue = 1
        for _ in 0..<200 { value = .array([value]) }
        for style in [QueryStyle(), QueryStyle(arrays: .commas), QueryStyle(arrays: .indexed)] {
            let error = try #require(throws: RequestEncodingError.self) { try Query(["a": value]).encoded(style) }
            #expect(error.code == .tooDeep)
        }
    }
}
