import Foundation
import TangoRequest
import Testing

@testable import TestSupport

@Suite struct JSONValueTests {
    private let value: JSONValue = [
        "null": nil, "bool": true, "integer": 7, "number": 1.5, "string": "x", "array": [1, "a", nil],
        "object": ["a": [:]],
    ]

    @Test func valueIsEncodedAndDecoded() throws {
        let data = try JSONEncoder().encode(value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value)
    }

    @Test(
        arguments: [
            ("null", nil), ("true", true), ("0", 0), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("1.5", 1.5), ("1e3", 1000), ("\"\"", ""),
            ("[]", []), ("{}", [:]),
        ] as [(String, JSONValue)])
    func eachKindIsDecoded(_ text: String, _ expected: JSONValue) throws {
        #expect(try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) == expected)
    }

    @Test(
        arguments: [
            (nil, "null"), (true, "true"), (7, "7"), (-0.5, "-0.5"), (.number(1), "1.0"), (.number(.infinity), "inf"),
            ("a\"\\/\n\u{1}é", #""a\"\\/\n\u0001é""#), ([], "[]"), ([1, [nil]], "[1,[null]]"), ([:], "{}"),
            (["b": 1, "a": ["c": "d"]], #"{"a":{"c":"d"},"b":1}"#),
        ] as [(JSONValue, String)])
    func descriptionIsJSON(_ value: JSONValue, _ text: String) {
        #expect("\(value)" == text)
        #expect(String(reflecting: value) == text)
        #expect("\([value])" == "[\(text)]")
        #expect("\(["x": value])" == #"["x": \#(text)]"#)
    }

    @Test func descriptionIsDecodedAgain() throws {
        let value: JSONValue = ["id": 7, "tags": ["new", nil, 1.5], "text": "\u{0}\u{1f}\u{7f}\u{2028}\r\t😀"]
        #expect(try JSONDecoder().decode(JSONValue.self, from: Data("\(value)".utf8)) == value)
    }

    @Test func accessorsReturnValuesOfTheirType() {
        #expect(value["null"]?.isNull == true)
        #expect(value["bool"]?.bool == true)
        #expect(value["integer"]?.int == 7)
        #expect(value["integer"]?.double == 7)
        #expect(value["number"]?.double == 1.5)
        #expect(value["number"]?.int == nil)
        #expect(value["string"]?.string == "x")
        #expect(value["string"]?.bool == nil)
        #expect(value["array"]?.array?.count == 3)
        #expect(value["object"]?.object?["a"] == [:])
        #expect(value["absent"] == nil)
        #expect(value[0] == nil)
        #expect(value["array"]?[1] == "a")
        #expect(value["array"]?[3] == nil)
        #expect(value["array"]?[-1] == nil)
    }

    @Test(
        arguments: [
            ("integer", 7), ("array.1", "a"), (["object", "a"], [:]), ("object.b", nil), ("integer.x", nil),
            ("array.9", nil),
            ("array.x", nil),
        ] as [(JSONPath, JSONValue?)])
    func pathsLeadToValues(_ path: JSONPath, _ expected: JSONValue?) {
        #expect(value[path] == expected)
    }

    @Test func emptyPathIsTheTopLevel() {
        #expect(value[JSONPath("")] == value)
        #expect("\(JSONPath("a.b"))" == "a.b")
        #expect(JSONPath("a.b") == ["a", "b"])
    }

    @Test(
        arguments: [
            ("slides.0.id", ["slides", "0", "id"]), ("slides[0].id", ["slides", "0", "id"]), ("[1].a", ["1", "a"]),
            ("a[0][12]", ["a", "0", "12"]), ("[0][1]", ["0", "1"]), ("a[].b", ["a[]", "b"]), ("a[x]", ["a[x]"]),
            ("a[-1]", ["a[-1]"]), ("a[0]b", ["a[0]b"]), ("a[x][1]", ["a[x]", "1"]), ("a]", ["a]"]), ("[", ["["]),
        ] as [(String, [String])])
    func indexesMayStandInBrackets(_ text: String, _ names: [String]) {
        #expect(JSONPath(text).names == names)
    }

    /// As deep as documents are that a decoder accepts, on a thread with the stack of secondary threads on Apple's systems.
    @Test(arguments: [false, true]) func deepValuesArePrinted(isObject: Bool) async {
        var value = JSONValue.null
        for _ in 0..<511 { value = isObject ? .object(["a": value]) : .array([value]) }
        let text = await withCheckedContinuation { continuation in
            let thread = Thread { [value] in continuation.resume(returning: value.description) }
            thread.stackSize = 512 * 1024
            thread.start()
        }
        #expect(text.utf8.count == 4 + 511 * (isObject ? 6 : 2))
    }
}
