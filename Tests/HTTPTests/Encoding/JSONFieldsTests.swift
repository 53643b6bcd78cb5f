import Foundation
import TangoRequest
import Testing

@testable import TestSupport

@Suite struct JSONFieldsTests {
    struct Address: Codable, Sendable { var street = "s" }

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

    @Test func literalTakesValuesOfEveryKind() throws {
        let address = Address()
        let ids = [1, 2]
        let fields: JSONFields = [
            "user": address, "list": [1, "a", nil, address], "in": ["z": 1, "a": ["y": "x", "b": address]], "ids": ids,
        ]
        #expect(
            try String(decoding: fields.encoded(), as: UTF8.self)
                == #"{"user":{"street":"s"},"list":[1,"a",null,{"street":"s"}],"#
                + #""in":{"a":{"b":{"street":"s"},"y":"x"},"z":1},"ids":[1,2]}"#)
    }

    @Test func settingsOfTheEncoderApply() throws {
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

    @Test func prettyPrintedAndSortedKeysApply() throws {
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

    @Test func errorNamesTheUnencodableValue() throws {
        struct Inner: Encodable { var n = Double.nan }
        final class Unencodable {}
        struct Refusing: Encodable {
            struct No: Error {}
            func encode(to encoder: any Encoder) throws { throw No() }
        }
        let rows: [(JSONFields, String)] = [
            (["a": Double.nan], "“a”"), (["a": ["b": Double.infinity] as JSONFields], "“a.b”"),
            (["x": Inner()], "“x.n”"),
            (JSONFields(["a": ["b": ["c": Double.nan, "d": "e"]]]), "“a.b.c”"),
            (["a": [1, Double.nan]], "“a[1]”"), (["a": [Inner()]], "“a[0].n”"),
            (["a": Unencodable(), "b": 1], "“a” cannot be written as JSON: a Unencodable is not Encodable"),
            (["a": [Refusing()]], "“a[0]” cannot be written as JSON: No"),
        ]
        for (fields, name) in rows {
            let error = try #require(throws: RequestEncodingError.self) { try fields.encoded() }
            #expect(error.code == .unsupportedValue)
            #expect(error.message.contains(name), "\(error)")
            #expect(error.underlying != nil)
        }
    }

    @Test func otherEncodersEncodeFields() throws {
        let fields: JSONFields = ["b": 1, "a": ["x"], "n": nil, "in": ["q": true] as JSONFields]
        #expect(try Query(encoding: fields).encoded() == "b=1&a=x&in%5Bq%5D=true")
        struct Envelope: Encodable { var data: JSONFields }
        let data = try JSONEncoder().encode(Envelope(data: ["a": 1]))
        #expect(String(decoding: data, as: UTF8.self) == #"{"data":{"a":1}}"#)
    }
}
