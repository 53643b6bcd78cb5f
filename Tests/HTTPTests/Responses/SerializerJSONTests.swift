import Foundation
import TangoRequest
import Testing

@testable import TestSupport

@Suite struct SerializerJSONTests {
    private struct Group: Decodable, Sendable {
        enum Kind: String, Decodable { case open, closed }
        let users: [Person]
        let kind: Kind?
    }

    @Test(
        arguments: [
            (#"{"data":{"items":[1,2]}}"#, "data.items"), (#"{"data":{"items":[1,2]}}"#, ["data", "items"]),
            (#"{"a.b":[1,2]}"#, ["a.b"]), ("[1,2]", ""), (#"{"all":[[],[1,2]]}"#, "all.1"), (#"[{"x":[1,2]}]"#, "0.x"),
            (#"{"1":[1,2]}"#, "1"), (#"{"all":[[],[1,2]]}"#, "all[1]"), (#"[{"x":[1,2]}]"#, "[0].x"),
        ] as [(String, JSONPath)])
    func valueIsReadFromItsEnvelope(_ body: String, _ path: JSONPath) throws {
        #expect(try Serializer<[Int]>.json(at: path).serialize(HTTPResponse(body)) == [1, 2])
    }

    @Test(arguments: [
        (#"{"data":{}}"#, "expected a value at data.items, found nothing"),
        ("{}", "expected a value at data, found nothing"),
        (#"{"data":null}"#, "expected an object at data, found null"),
        (#"{"data":{"items":null}}"#, "expected an array at data.items, found null"),
        (#"{"data":7}"#, "expected an object at data, found a number"),
        (#"{"data":{"items":"x"}}"#, "expected an array at data.items, found a string"),
        (#"{"data":{"items":[1,"x"]}}"#, "expected Int at data.items[1], found a string"),
        ("[]", "expected an object at the top, found an array"),
    ])
    func errorOfAnUnexpectedEnvelopeNamesThePlace(_ body: String, _ words: String) throws {
        let error = try #require(throws: RequestError.self) {
            try Serializer<[Int]>.json(at: "data.items").serialize(HTTPResponse(body))
        }
        #expect(error.code == .notDecodable)
        #expect(error.detail == "no Array<Int> in the body: \(words)")
    }

    @Test(arguments: ["{}", #"{"data":null}"#, #"{"data":{}}"#, #"{"data":{"items":null}}"#, ""])
    func optionalIsNilIfTheEnvelopeIsEmpty(_ body: String) throws {
        #expect(try Serializer<[Int]?>.json(at: "data.items").serialize(HTTPResponse(body)) == nil)
    }

    @Test func strategiesOfTheDecoderApplyInsideAnEnvelope() throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let date = try Serializer<Date>.json(at: "user_data.born_at", decoder: decoder)
            .serialize(HTTPResponse(#"{"user_data":{"born_at":60}}"#))
        #expect(date == Date(timeIntervalSince1970: 60))
        let plain = try Serializer<[Int]>.json(at: "a_b").serialize(HTTPResponse(#"{"a_b":[1]}"#))
        #expect(plain == [1])
    }

    @Test(arguments: [
        (
            #"{"users":[{"id":1,"name":"a"},{"id":"secret","name":"b"}]}"#,
            "expected Int at users[1].id, found a string"
        ),
        (#"{"users":[{"id":1}]}"#, "expected a value at users[0].name, found nothing"),
        (#"{"users":[{"id":1,"name":null}]}"#, "expected String at users[0].name, found null"),
        (#"{"users":{"id":1}}"#, "expected an array at users, found an object"),
        (
            #"{"users":[{"id":1.5,"name":"secret"}]}"#,
            "expected a number that fits its type at an unknown place, found another number"
        ),
        (#"{"users":[],"kind":"secret"}"#, "expected another value at kind, found a string"),
        (#"{"users":[],"kind":true}"#, "expected String at kind, found a bool"),
        (#"{"us\"ers":1,"users":[true]}"#, "expected an object at users[0], found a bool"),
        ("[]", "expected an object at the top, found an array"),
        ("<html>secret</html>", "expected JSON at the top, found HTML or XML"),
        ("secret", "expected JSON at the top, found something else"),
        (#"{"users":["#, "expected JSON at the top, found something else"),
    ])
    func errorsDescribeTheProblemWithoutTheValue(_ body: String, _ words: String) throws {
        let error = try #require(throws: RequestError.self) {
            try Serializer<Group>.json.serialize(HTTPResponse(body))
        }
        #expect(error.detail.hasSuffix(": " + words))
        #expect(!error.description.contains("secret"))
        #expect(!error.message.contains("secret"))
        let problem = try #require(error.underlying as? DecodingProblem)
        #expect(problem.cause != nil)
        #expect("\(problem)" == words)
    }

    @Test func onlyTheDebugDescriptionHasAnExcerpt() throws {
        let before = String(repeating: #"{"id":1,"name":"x"},"#, count: 500)
        let after = String(repeating: #",{"id":1,"name":"x"}"#, count: 500)
        let error = try #require(throws: RequestError.self) {
            try Serializer<[Person]>.json.serialize(HTTPResponse("[\(before){\"id\":\"here\",\"name\":\"y\"}\(after)]"))
        }
        let problem = try #require(error.underlying as? DecodingProblem)
        #expect(problem.path == "[500].id")
        #expect(problem.excerpt.contains(#""id":"here""#))
        #expect(problem.excerpt.count <= 200)
        #expect(error.debugDescription.contains("here"))
        #expect(!error.description.contains("here"))
    }

    @Test func excerptMayBeginInsideACharacter() throws {
        let emoji = String(repeating: "🎉", count: 40)
        for count in 0..<12 {
            let filler = String(repeating: "x", count: count) + emoji
            let body = "{\"id\":1,\"x\":\"\(filler)\",\"name\":7}"
            let error = try #require(throws: RequestError.self) {
                try Serializer<Person>.json.serialize(HTTPResponse(body))
            }
            let problem = try #require(error.underlying as? DecodingProblem)
            #expect(problem.path == "name")
            #expect(problem.excerpt.contains(#""name":7"#))
        }
    }

    @Test(arguments: ["", " ", "\r\n\t "]) func blankBodyIsEmpty(_ body: String) throws {
        let error = try #require(throws: RequestError.self) {
            try Serializer<Person>.json.serialize(HTTPResponse(body))
        }
        #expect(error.code == .emptyResponse)
        #expect(try Serializer<Person?>.json.serialize(HTTPResponse(body)) == nil)
        #expect(try Serializer<Receipt>.json.serialize(HTTPResponse(body)) == Receipt())
    }

    @Test(arguments: [
        (#"{"a":1}"#, true, false), ("[1]", false, true), ("1", false, false), ("null", false, false),
        ("\"{}\"", false, false),
    ])
    func topLevelKindIsChecked(_ body: String, isObject: Bool, isArray: Bool) throws {
        let response = HTTPResponse(body)
        #expect(((try? Serializer.jsonObject.serialize(response)) != nil) == isObject)
        #expect(((try? Serializer.jsonArray.serialize(response)) != nil) == isArray)
    }

    @Test func errorNamesTheTopLevelKind() throws {
        let error = try #require(throws: RequestError.self) {
            try Serializer.jsonObject.serialize(HTTPResponse("[1]"))
        }
        #expect(error.code == .notDecodable)
        #expect(error.detail == "expected an object at the top, found an array")
    }

    /// Truncated and altered documents cause errors with short excerpts, and never a trap.
    @Test func malformedDocumentsAreRejected() throws {
        let document = Array(#"{"users":[{"id":1,"name":"a\"\\b"},{"id":2,"name":"ü[{"}],"kind":"open"}"#.utf8)
        for place in document.indices {
            for bytes in [Array(document[..<place]), document[..<place] + [0xFF] + document[(place + 1)...]] {
                let response = HTTPResponse(status: 200, body: Data(bytes))
                do {
                    _ = try Serializer<Group>.json.serialize(response)
                } catch let error as RequestError {
                    let problem = error.underlying as? DecodingProblem
                    #expect(problem != nil || error.code == .emptyResponse)
                    #expect((problem?.excerpt.count ?? 0) <= 200)
                }
                for path in ["users.1.name", "kind", "users.1.x"] as [JSONPath] {
                    _ = try? Serializer<Int>.json(at: path).serialize(response)
                }
            }
        }
    }
}
