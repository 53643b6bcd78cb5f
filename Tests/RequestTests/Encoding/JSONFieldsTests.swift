import Foundation
import TangoRequest
import Testing

/// The overloads that take JSON bodies, arranged as they must be for literals.
///
/// A literal prefers `JSONFields`, so that its order is kept. What is no literal, or a literal of something else, takes
/// the generic one. Mixed values in an inner literal are what only `JSONFields.Literal` takes. Both others are
/// disfavoured, else `["a": 1]` would be a dictionary, whose order is lost, and mixed literals ambiguous.
private struct Body {
    enum Overload { case fields, literal, value }

    let overload: Overload
    let data: Data

    static func json(_ fields: JSONFields, encoder: JSONEncoder = JSONEncoder()) throws -> Body {
        Body(overload: .fields, data: try fields.encoded(by: encoder))
    }

    @_disfavoredOverload
    static func json(_ literal: JSONFields.Literal, encoder: JSONEncoder = JSONEncoder()) throws -> Body {
        Body(overload: .literal, data: try literal.fields.encoded(by: encoder))
    }

    @_disfavoredOverload
    static func json<Value: Encodable & Sendable>(_ value: Value, encoder: JSONEncoder = JSONEncoder()) throws -> Body {
        Body(overload: .value, data: try encoder.encode(value))
    }
}

@Suite struct JSONFieldsTests {
    struct Address: Codable, Sendable { var street = "s" }
    struct Place: Codable, Sendable, JSONConvertible { var city = "Rome" }
    enum Kind: String, Codable, Sendable { case big }

    private func expect(
        _ body: Body, _ overload: Body.Overload, _ json: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(body.overload == overload, sourceLocation: sourceLocation)
        #expect(String(decoding: body.data, as: UTF8.self) == json, sourceLocation: sourceLocation)
    }

    @Test func literalsAreFields() throws {
        let title = "T"
        let id: Int? = 7
        let none: String? = nil
        let tags = ["x", "y"]
        let map = ["b": 1, "a": 2]
        try expect(.json(["title": title]), .fields, #"{"title":"T"}"#)
        try expect(.json(["z": 1, "y": 2, "x": 3, "w": 4, "v": 5]), .fields, #"{"z":1,"y":2,"x":3,"w":4,"v":5}"#)
        try expect(
            .json(["title": title, "tags": ["a"], "author": ["id": 1], "draft": nil, "score": 1.5]), .fields,
            #"{"title":"T","tags":["a"],"author":{"id":1},"draft":null,"score":1.5}"#)
        try expect(
            .json(["id": id, "none": none, "tags": tags, "map": map, "yes": true, "sum": tags.count + 1]), .fields,
            #"{"id":7,"none":null,"tags":["x","y"],"map":{"a":2,"b":1},"yes":true,"sum":3}"#)
        try expect(
            .json(["address": Address(), "list": [Address()], "kind": Kind.big, "maybe": Address?.none]), .fields,
            #"{"address":{"street":"s"},"list":[{"street":"s"}],"kind":"big","maybe":null}"#)
        try expect(
            .json(["in": ["b": 1, "a": "x", "n": nil] as JSONFields, "list": [["q": 1, "p": "o"] as JSONFields]]),
            .fields,
            #"{"in":{"b":1,"a":"x","n":null},"list":[{"q":1,"p":"o"}]}"#)
        try expect(.json([:]), .fields, "{}")
        try expect(.json(["é\"/\n": "é\"\u{1}😀"]), .fields, #"{"é\"\/\n":"é\"\u0001😀"}"#)
    }

    @Test func literalsInLiteralsMayBeMixed() throws {
        let text = "t"
        let cursor: String? = nil
        try expect(
            .json(["query": text, "variables": ["id": 1, "name": "x", "after": cursor, "nil": nil]]), .literal,
            #"{"query":"t","variables":{"after":null,"id":1,"name":"x","nil":null}}"#)
        try expect(
            .json([
                "channel": text,
                "blocks": [
                    ["type": "section", "text": ["type": "mrkdwn", "text": text, "n": 1]], ["type": "divider", "n": 2],
                ],
                "unfurl": nil,
            ]), .literal,
            #"{"channel":"t","blocks":[{"text":{"n":1,"text":"t","type":"mrkdwn"},"type":"section"},"#
                + #"{"n":2,"type":"divider"}],"unfurl":null}"#)
        try expect(
            .json(["at": Place(), "a": ["b": ["c": ["d": 1, "e": "f", "g": nil, "h": [1.5, 2], "p": Place()]]]]),
            .literal,
            #"{"at":{"city":"Rome"},"a":{"b":{"c":{"d":1,"e":"f","g":null,"h":[1.5,2],"p":{"city":"Rome"}}}}}"#)
    }

    @Test func otherValuesAreEncodedAsTheyAre() throws {
        let map = ["a": "b"]
        let optional: Int? = 1
        try expect(.json(map), .value, #"{"a":"b"}"#)
        try expect(.json(Address()), .value, #"{"street":"s"}"#)
        try expect(.json([Address()]), .value, #"[{"street":"s"}]"#)
        try expect(.json([1, 2, 3]), .value, "[1,2,3]")
        try expect(.json([["a": 1], ["b": 2]]), .value, #"[{"a":1},{"b":2}]"#)
        try expect(.json("text"), .value, #""text""#)
        try expect(.json(optional), .value, "1")
        try expect(.json([1, 2].map { $0 * 2 }), .value, "[2,4]")
        let fields: JSONFields = ["b": 1, "a": "c"]
        try expect(.json(fields), .fields, #"{"b":1,"a":"c"}"#)
    }

    @Test func fieldsAreChanged() throws {
        var fields: JSONFields = ["a": 1, "b": 2, "a": 3]
        #expect(try String(decoding: fields.encoded(), as: UTF8.self) == #"{"a":3,"b":2}"#)
        fields["b"] = "x"
        fields["c"] = [true]
        fields.append(nil, named: "d")
        fields["a"] = nil
        #expect(fields.names == ["b", "c", "d"])
        #expect(try String(decoding: fields.encoded(), as: UTF8.self) == #"{"b":"x","c":[true],"d":null}"#)
        #expect(fields["b"] as? String == "x")
        #expect(fields["z"] == nil)
        #expect(JSONFields(["b": 1, "a": 2]).names == ["b", "a"])
        #expect(JSONFields(["b": Address(), "a": nil]).names == ["b", "a"])
        #expect(JSONFields(["b": ["x": 1, "y": "z"], "a": nil]).names == ["b", "a"])
        #expect(JSONFields(sorting: ["b": 1, "a": 2]).names == ["a", "b"])
    }

    @Test func theEncoderIsFollowed() throws {
        struct Event: Encodable { var startDate = Date(timeIntervalSince1970: 0), url = "a/b" }
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = .withoutEscapingSlashes
        let fields: JSONFields = [
            "fieldName": Event(), "endDate": Date(timeIntervalSince1970: 1), "a/b": ["innerName": 1],
        ]
        let json = try String(decoding: fields.encoded(by: encoder), as: UTF8.self)
        let orders = [
            #"{"start_date":"1970-01-01T00:00:00Z","url":"a/b"}"#,
            #"{"url":"a/b","start_date":"1970-01-01T00:00:00Z"}"#,
        ]
        #expect(
            orders.map { #"{"fieldName":\#($0),"endDate":"1970-01-01T00:00:01Z","a/b":{"innerName":1}}"# }.contains(
                json))
    }

    @Test func prettyAndSortedAreFollowed() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let fields: JSONFields = [
            "b": [1, 2], "a": "line\nline", "d": ["z": 1] as JSONFields, "c": Address(),
            "e": [["y": nil] as JSONFields],
        ]
        #expect(
            try fields.encoded(by: encoder)
                == Data(
                    """
                    {
                      "a" : "line\\nline",
                      "b" : [
                        1,
                        2
                      ],
                      "c" : {
                        "street" : "s"
                      },
                      "d" : {
                        "z" : 1
                      },
                      "e" : [
                        {
                          "y" : null
                        }
                      ]
                    }
                    """.utf8))
        encoder.outputFormatting = .sortedKeys
        #expect(
            try String(decoding: fields.encoded(by: encoder), as: UTF8.self)
                == #"{"a":"line\nline","b":[1,2],"c":{"street":"s"},"d":{"z":1},"e":[{"y":null}]}"#)
    }

    @Test func aValueThatCannotBeWrittenIsNamed() throws {
        struct Inner: Encodable { var n = Double.nan }
        let rows: [(JSONFields, String)] = [
            (["a": Double.nan], "“a”"), (["a": ["b": Double.infinity] as JSONFields], "“a.b”"), (["x": Inner()], "“x”"),
            (JSONFields(["a": ["b": ["c": Double.nan, "d": "e"]]]), "“a.b.c”"),
        ]
        for (fields, name) in rows {
            let error = try #require(throws: RequestEncodingError.self) { try fields.encoded() }
            #expect(error.code == .unsupportedValue)
            #expect(error.message.contains(name), "\(error)")
            #expect(error.underlying is EncodingError)
        }
    }

    @Test func otherEncodersTakeFieldsToo() throws {
        let fields: JSONFields = ["b": 1, "a": ["x"], "n": nil, "in": ["q": true] as JSONFields]
        #expect(try Query(encoding: fields).encoded() == "b=1&a=x&in%5Bq%5D=true")
        struct Envelope: Encodable { var data: JSONFields }
        let data = try JSONEncoder().encode(Envelope(data: ["a": 1]))
        #expect(String(decoding: data, as: UTF8.self) == #"{"data":{"a":1}}"#)
    }
}
