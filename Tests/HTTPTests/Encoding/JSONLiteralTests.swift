import Foundation
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// The JSON that `.json(…)` encodes from literals and values.
///
/// The order of inner names shows which type the compiler chose for a literal. If it cannot check a literal as a whole,
/// the inner names are sorted.
@Suite struct JSONLiteralTests {
    /// A model with one property, because an encoder writes several in any order.
    struct User: Codable, Sendable, Equatable { var id = 1 }
    struct Place: Codable, Sendable, JSONConvertible { var city = "Rome" }
    enum Kind: String, Codable, Sendable { case big }
    enum Sort: String { case newest }
    final class Draft: Codable { var title = "t" }

    private func json(_ body: Body) throws -> String {
        guard case .data(let data) = body.content else { throw NothingThrown() }
        return String(decoding: data, as: UTF8.self)
    }

    private func expect(_ body: Body, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(body.contentType == "application/json", sourceLocation: sourceLocation)
        #expect(try json(body) == expected, sourceLocation: sourceLocation)
    }

    @Test func literalsAreOrderedAtEveryLevel() throws {
        let title = "T"
        let none: String? = nil
        let tags = ["x", "y"]
        try expect(.json(["title": title]), #"{"title":"T"}"#)
        try expect(.json(["z": 1, "y": 2, "x": 3, "w": 4, "v": 5]), #"{"z":1,"y":2,"x":3,"w":4,"v":5}"#)
        try expect(
            .json(["z": ["y": 1, "x": 2], "a": ["w": ["v": "u", "b": ["s": nil, "r": none, "d": title]]]]),
            #"{"z":{"y":1,"x":2},"a":{"w":{"v":"u","b":{"s":null,"r":null,"d":"T"}}}}"#)
        try expect(
            .json(["b": ["z": 1, "tags": tags, "a": none, "list": [["q": "a", "n": 1], ["n": nil]]], "a": tags]),
            #"{"b":{"z":1,"tags":["x","y"],"a":null,"list":[{"q":"a","n":1},{"n":null}]},"a":["x","y"]}"#)
        try expect(
            .json(["at": Place(), "a": ["z": Place(), "b": [Place()]]]),
            #"{"at":{"city":"Rome"},"a":{"z":{"city":"Rome"},"b":[{"city":"Rome"}]}}"#)
        let name = "\(title)1"
        try expect(.json(["in": ["\(name)": 1, "a": "b"]]), #"{"in":{"T1":1,"a":"b"}}"#)
    }

    @Test func listsMayBeMixed() throws {
        let id = 7
        let title = "T"
        try expect(.json(["params": [1, "a"]]), #"{"params":[1,"a"]}"#)
        try expect(
            .json([
                "id": id, "params": [id, title, true, nil, 1.5, ["z": 1, "a": [nil, "x", [2]]]], "in": ["l": [1, "a"]],
            ]),
            #"{"id":7,"params":[7,"T",true,null,1.5,{"z":1,"a":[null,"x",[2]]}],"in":{"l":[1,"a"]}}"#)
        try expect(.json([1, "a", nil]), #"[1,"a",null]"#)
        try expect(.json([["z": 1, "b": "x"], ["a": nil]]), #"[{"z":1,"b":"x"},{"a":null}]"#)
    }

    @Test func anyEncodableValueFits() throws {
        let user = User()
        let ids = [1, 2]
        let map = ["b": 1, "a": 2]
        let maybe: User? = nil
        try expect(
            .json(["user": user, "ids": ids, "map": map, "kind": Kind.big, "users": [user], "maybe": maybe, "n": nil]),
            #"{"user":{"id":1},"ids":[1,2],"map":{"a":2,"b":1},"kind":"big","#
                + #""users":[{"id":1}],"maybe":null,"n":null}"#)
        try expect(.json(["b": user, "a": user]), #"{"b":{"id":1},"a":{"id":1}}"#)
        try expect(.json([user]), #"[{"id":1}]"#)
    }

    @Test func customTypesMayStandBesideMixedLiterals() throws {
        let user = User(id: 2)
        let ids = [1, 2]
        let map = ["b": 1, "a": 2]
        try expect(
            .json(["user": user, "meta": ["page": 1, "by": "name"]]),
            #"{"user":{"id":2},"meta":{"by":"name","page":1}}"#)
        try expect(
            .json([
                "user": user, "list": [1, "a", user, [user]], "deep": ["x": ["y": [1, 2.5, "z", ids, map, nil]]],
                "nothing": [nil, user], "empty": [], "none": [:],
            ]),
            #"{"user":{"id":2},"list":[1,"a",{"id":2},[{"id":2}]],"#
                + #""deep":{"x":{"y":[1,2.5,"z",[1,2],{"a":2,"b":1},null]}},"nothing":[null,{"id":2}],"empty":[],"none":{}}"#
        )
        try expect(.json([["user": user, "n": 1], ["n": nil]]), #"[{"n":1,"user":{"id":2}},{"n":null}]"#)
    }

    /// The literal stands beside a custom type. In a dictionary of `Any`, the compiler would warn of its optionals.
    @Test func innerLiteralOfFieldsIsOrdered() throws {
        let user = User()
        let note: String? = nil
        let count: Int? = 3
        try expect(
            .json(["user": user, "meta": ["z": 1, "note": note, "count": count] as JSONFields]),
            #"{"user":{"id":1},"meta":{"z":1,"note":null,"count":3}}"#)
        try expect(
            .json(["at": Place(), "meta": ["z": 1, "note": note, "list": [1, "a", count]]]),
            #"{"at":{"city":"Rome"},"meta":{"z":1,"note":null,"list":[1,"a",3]}}"#)
    }

    @Test func valuesOfALiteralNeedNotBeSendable() throws {
        let draft = Draft()
        let body = Body.json(["draft": draft, "sort": Sort.newest])
        draft.title = "changed"
        try expect(body, #"{"draft":{"title":"t"},"sort":"newest"}"#)
    }

    @Test func valuesAreEncodedUnchanged() throws {
        let map = ["b": 1, "a": 2]
        let optional: Int? = 1
        let boxed: any Encodable & Sendable = User()
        try expect(.json(map), #"{"a":2,"b":1}"#)
        try expect(.json(User()), #"{"id":1}"#)
        try expect(.json([User()]), #"[{"id":1}]"#)
        try expect(.json([1, 2, 3]), "[1,2,3]")
        try expect(.json("text"), #""text""#)
        try expect(.json(optional), "1")
        try expect(.json(boxed), #"{"id":1}"#)
        try expect(.json([1, 2].map { $0 * 2 }), "[2,4]")
        try expect(.json([:]), "{}")
        try expect(.json([]), "[]")
        let fields: JSONFields = ["b": 1, "a": "c"]
        try expect(.json(fields), #"{"b":1,"a":"c"}"#)
        let value: JSONValue = ["id": 7]
        try expect(.json(["v": value, "in": ["w": value, "a": 1]]), #"{"v":{"id":7},"in":{"w":{"id":7},"a":1}}"#)
    }

    @Test func numbersAndBooleansAreExact() throws {
        try expect(
            .json([
                "min": Int64.min, "max": UInt64.max, "wide": Int128.max,
                "exact": Decimal(string: "12345678901234567890.5"),
                "one": 1, "yes": true, "ratio": 0.1, "text": "1",
            ]),
            #"{"min":-9223372036854775808,"max":18446744073709551615,"wide":170141183460469231731687303715884105727,"#
                + #""exact":12345678901234567890.5,"one":1,"yes":true,"ratio":0.1,"text":"1"}"#)
        let user = User()
        let exact = try #require(Decimal(string: "0.1"))
        try expect(
            .json(["user": user, "in": ["max": UInt64.max, "yes": true, "one": 1, "exact": exact]]),
            #"{"user":{"id":1},"in":{"exact":0.1,"max":18446744073709551615,"one":1,"yes":true}}"#)
    }

    @Test func laterValueOfARepeatedInnerNameTakesTheFirstPlace() throws {
        let name = "a"
        try expect(.json(["in": ["\(name)": 1, "b": "x", "a": 2]]), #"{"in":{"a":2,"b":"x"}}"#)
    }

    @Test func settingsOfTheEncoderApply() throws {
        struct Event: Codable { var startDate = Date(timeIntervalSince1970: 0), inner = ["someKey": 1], gone: Int? }
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = .sortedKeys
        let fields: JSONFields = ["anEvent": Event(), "in": ["endDate": Date(timeIntervalSince1970: 1), "x": "y"]]
        #expect(
            try String(decoding: fields.encoded(by: encoder), as: UTF8.self)
                == #"{"anEvent":{"inner":{"someKey":1},"start_date":0},"in":{"endDate":1,"x":"y"}}"#)
    }

    @Test func errorNamesTheUnencodableValue() throws {
        let rows: [(Body, String)] = [
            (.json(["a": ["b": [1, Double.nan]]]), "“a.b[1]”"),
            (.json(["user": User(), "in": ["x": Float.infinity, "y": "z"]]), "“in.x”"),
            (.json(["thread": Thread.current, "a": 1]), "“thread” cannot be written as JSON: a"),
        ]
        for (body, words) in rows {
            let error = try #require(throws: RequestError.self) { try body.encoded(with: .default) }
            #expect(error.code == .notEncodable)
            #expect(error.detail.contains(words), "\(error)")
        }
    }
}
