import Foundation
import TangoRequest
import Testing

@testable import TestSupport

@Suite struct QueryEncodingTests {
    struct Everything: Encodable {
        var zeta = 1
        var alpha: String? = "x y"
        var missing: Int?
        var gone: String?
        var noDate: Date?
        var yes = true
        var ratio = 2.5
        var small: Float = 0.1
        var bytes: [UInt8] = [1, 2]
        var date = Date(timeIntervalSince1970: 0)
        var link = URL(string: "https://h/")
        var id = UUID(uuidString: "9B1DEB4D-3B7D-4BAD-9BDD-2B0D7B3DCB6D")
        var data = Data([255])
        var price = Decimal(string: "0.10")
        var kind = Kind.big
        var inner = Inner()
        var list = [Inner(), Inner()]
        var map = ["b": 1, "a": 2, "c": 3]
        var numbers = [2: "two", 1: "one"]
        var holes: [Int?] = [1, nil, 3]
        var wide = Int128.max
    }

    enum Kind: String, Codable { case big }
    struct Inner: Encodable { var b = 1, a = [true] }

    private struct Names: Encodable {
        struct Inner: Encodable { let innerName = 2 }
        let firstName = 1
        let inner = Inner()
        let theKeys = ["aKey": 3]
        let listOfInner = [Inner()]
    }

    @Test func namesOfPropertiesFollowTheStyle() throws {
        let query = Query(encoding: Names()) + ["literalName": 4]
        #expect(
            try query.encoded(QueryStyle(nesting: .dots, names: .snakeCase))
                == "first_name=1&inner.inner_name=2&the_keys.aKey=3&list_of_inner.inner_name=2&literalName=4")
        #expect(
            try query.encoded(QueryStyle(nesting: .dots, names: .custom { $0.uppercased() }))
                == "FIRSTNAME=1&INNER.INNERNAME=2&THEKEYS.aKey=3&LISTOFINNER.INNERNAME=2&literalName=4")
        #expect(
            try query.formEncoded(QueryStyle(nesting: .dots))
                == "firstName=1&inner.innerName=2&theKeys.aKey=3&listOfInner.innerName=2&literalName=4")
        #expect(
            try Query(["filter": Names.Inner()]).encoded(QueryStyle(nesting: .dots, names: .snakeCase))
                == "filter.inner_name=2")
        #expect(Query(encoding: Names.Inner()) == ["innerName": 2])
    }

    /// Snake case is that of `JSONEncoder`, so that a server gets the same names in queries and in JSON.
    @Test(arguments: [
        "a", "A", "ab", "aB", "AB", "ABc", "aBC", "aBc", "simpleOneTwo", "myURLProperty", "singleCharacterAtEndX",
        "thisIsAnXMLProperty", "single", "aA", "version4Thing", "dataPoint22", "dataPoint22Word", "_oneTwoThree",
        "oneTwoThree_", "__oneTwoThree", "snake_Ćase", "snake_ćase", "m͉̟̹y̦̳G͍͚͎̳r̤͉̤͕ͅea̲͕t͇̥̼͖U͇̝̠R͙̻̥͓̣L̥̖͎͓̪̫ͅR̩͖̩eq͈͓u̞e̱s̙t̤̺ͅ", "URL", "URLs", "ÜberName", "",
        "_", "__", "aß", "ﬁXy",
    ])
    func snakeCaseIsThatOfJSON(_ name: String) throws {
        struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        struct Value: Encodable {
            let name: String
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(1, forKey: Key(stringValue: name))
            }
        }
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let json = try JSONDecoder().decode([String: Int].self, from: encoder.encode(Value(name: name)))
        let query = try Query(encoding: Value(name: name)).encoded(QueryStyle(names: .snakeCase))
        #expect(Query(parsing: query).fields.map(\.name) == Array(json.keys))
    }

    @Test func propertiesAreEncodedInOrder() throws {
        let text = try Query(encoding: Everything()).encoded(QueryStyle(arrays: .indexed, nesting: .dots))
        #expect(
            PercentEncoding.decode(text).split(separator: "&") == [
                "zeta=1", "alpha=x y", "yes=true", "ratio=2.5", "small=0.1", "bytes[0]=1", "bytes[1]=2",
                "date=1970-01-01T00:00:00Z", "link=https://h/", "id=9B1DEB4D-3B7D-4BAD-9BDD-2B0D7B3DCB6D", "data=/w==",
                "price=0.1", "kind=big", "inner.b=1", "inner.a[0]=true", "list[0].b=1", "list[0].a[0]=true",
                "list[1].b=1", "list[1].a[0]=true", "map.a=2", "map.b=1", "map.c=3", "numbers.1=one", "numbers.2=two",
                "holes[0]=1", "holes[2]=3", "wide=170141183460469231731687303715884105727",
            ])
    }

    @Test func styleDecidesOnNilValues() throws {
        struct Optionals: Encodable {
            var a: Int?
            var b: String?
            var c: Date?
            var d: [Int]?
            var e: Inner?
            var f: Bool?
            var g: UInt128?
        }
        let query = Query(encoding: Optionals())
        #expect(try query.encoded() == "")
        #expect(try query.encoded(QueryStyle(nulls: .nameOnly)) == "a&b&c&d&e&f&g")
    }

    @Test func codingKeysAreUsed() throws {
        struct Renamed: Encodable {
            var page = 1
            enum CodingKeys: String, CodingKey { case page = "page[number]" }
        }
        #expect(try Query(encoding: Renamed()).encoded() == "page%5Bnumber%5D=1")
    }

    class Base: Encodable { var a = 1 }
    final class Derived: Base {
        var b = 2
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(b, forKey: .b)
            try super.encode(to: container.superEncoder())
            try super.encode(to: container.superEncoder(forKey: .up))
        }
        enum Key: String, CodingKey { case b, up }
    }

    @Test func classesEncodeTheirSuperclass() throws {
        #expect(try Query(encoding: Base()).encoded() == "a=1")
        #expect(try Query(encoding: Derived()).encoded(QueryStyle(nesting: .dots)) == "b=2&super.a=1&up.a=1")
    }

    /// A type that uses all kinds of containers of an encoder.
    struct Manual: Encodable {
        enum Key: String, CodingKey { case nested, list, twice, none, steps }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            var nested = container.nestedContainer(keyedBy: Key.self, forKey: .nested)
            try nested.encode("deep", forKey: .list)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encode(1)
            try list.encodeNil()
            var row = list.nestedUnkeyedContainer()
            try row.encode("r")
            var object = list.nestedContainer(keyedBy: Key.self)
            try object.encode(true, forKey: .none)
            try Inner().encode(to: list.superEncoder())
            #expect(list.count == 5)
            try container.encode(1, forKey: .twice)
            try container.encodeNil(forKey: .none)
            try container.encode(2, forKey: .twice)
            var first = container.nestedContainer(keyedBy: Key.self, forKey: .steps)
            try first.encode(1, forKey: .list)
            var second = container.nestedContainer(keyedBy: Key.self, forKey: .steps)
            try second.encode(2, forKey: .none)
            #expect(encoder.codingPath.isEmpty)
            #expect(nested.codingPath.map(\.stringValue) == ["nested"])
            #expect(object.codingPath.map(\.stringValue) == ["list", "3"])
            #expect(object.codingPath.last?.intValue == 3)
        }
    }

    @Test func containersOfAllKindsAreEncoded() throws {
        let text = try Query(encoding: Manual()).encoded(QueryStyle(arrays: .indexed, nesting: .dots, nulls: .word))
        #expect(
            PercentEncoding.decode(text).split(separator: "&") == [
                "nested.list=deep", "list[0]=1", "list[1]=null", "list[2][0]=r", "list[3].none=true", "list[4].b=1",
                "list[4].a[0]=true", "twice=2", "none=null", "steps.list=1", "steps.none=2",
            ])
    }

    @Test func typeWithoutPropertiesIsAnEmptyQuery() throws {
        struct Empty: Encodable {}
        struct Silent: Encodable { func encode(to encoder: any Encoder) {} }
        #expect(Query(encoding: Empty()).isEmpty)
        #expect(Query(encoding: Silent()).isEmpty)
        #expect(Query(encoding: [String: Int]()).isEmpty)
    }

    @Test func valuesWithoutNamesAreRejected() throws {
        let values: [any Encodable] = [
            1, "text", [1, 2], true, Date(), UUID(), Data(), Int?.none, Kind.big, [Inner()],
        ]
        for value in values {
            let error = try #require(throws: RequestEncodingError.self, "\(value)") {
                try Query(encoding: value).encoded()
            }
            #expect(error.code == .noNames)
        }
    }

    final class Circle: Encodable, QueryConvertible {
        var name = "c"
        var next: Circle?
        var list: [Circle] = []
    }

    @Test func circularValueIsRejected() throws {
        let circle = Circle()
        circle.next = circle
        var error = try #require(throws: RequestEncodingError.self) { try Query(encoding: circle).encoded() }
        #expect(error.code == .tooDeep)
        error = try #require(throws: RequestEncodingError.self) { try Query(["c": circle]).encoded() }
        #expect(error.code == .unsupportedValue)
        #expect(error.message.contains("“c”"))
        circle.next = nil
        circle.list = [circle]
        error = try #require(throws: RequestEncodingError.self) { try Query(encoding: circle).encoded() }
        #expect(error.code == .tooDeep)
        circle.list = []
        #expect(try Query(encoding: circle).encoded() == "name=c")
    }

    @Test func numbersThatAreNotFiniteAreRejected() throws {
        struct Number: Encodable { var n = Double.nan, f = Float.infinity }
        #expect(throws: RequestEncodingError.self) { try Query(encoding: Number()).encoded() }
        #expect(throws: RequestEncodingError.self) { try Query(encoding: ["a": Decimal.nan]).encoded() }
    }

    @Test func errorsOfTheTypeAreUnderlyingErrors() throws {
        struct Refusing: Encodable, QueryConvertible {
            struct No: Error {}
            func encode(to encoder: any Encoder) throws { throw No() }
        }
        var error = try #require(throws: RequestEncodingError.self) { try Query(encoding: ["a": Refusing()]).encoded() }
        #expect(error.underlying is Refusing.No)
        error = try #require(throws: RequestEncodingError.self) { try Query(["a": Refusing()]).encoded() }
        #expect(error.message.contains("which threw No"), "\(error)")
    }

    @Test func errorStaysInACombinedQuery() throws {
        let good: Query = ["a": 1]
        for query in [good + Query(encoding: 5), Query(encoding: 5) + good, ["in": Query(encoding: 5)]] {
            let error = try #require(throws: RequestEncodingError.self) { try query.encoded() }
            #expect(error.code == .noNames)
            #expect(!query.isEmpty)
        }
        #expect(throws: RequestEncodingError.self) { try (good + Query(encoding: 5)).formEncoded() }
        #expect(Query(encoding: 5) == Query(encoding: 6))
        #expect(Query(encoding: 5) != Query())
    }

    @Test func errorIsThrownWhenTheRequestIsSent() async throws {
        let client = Client(baseURL: URL(string: "http://127.0.0.1:1"))
        let error = try await failure {
            try await client.get("/", query: Query(encoding: [1, 2]), as: Data.self).value
        }
        #expect(error.code == .notEncodable)
        #expect(error.phase == .prepare)
    }

    @Test func typeWithSeveralContainersDoesNotTrap() throws {
        struct Fickle: Encodable {
            func encode(to encoder: any Encoder) throws {
                var single = encoder.singleValueContainer()
                try single.encode(1)
                var list = encoder.unkeyedContainer()
                try list.encode(1)
                var fields = encoder.container(keyedBy: Manual.Key.self)
                try fields.encode(1, forKey: .twice)
                try list.encode(2)
                try fields.encode(3, forKey: .twice)
            }
        }
        #expect(try Query(encoding: Fickle()).encoded() == "twice=3")
    }
}
