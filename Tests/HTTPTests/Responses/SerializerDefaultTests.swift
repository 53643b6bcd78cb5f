import Foundation
import TangoRequest
import Testing

@testable import TestSupport

@Suite struct SerializerDefaultTests {
    private struct Opaque: Sendable {}

    private let json = HTTPResponse(#"{"id":1,"name":"Ada"}"#)
    private let none = HTTPResponse("", status: 204)

    private func make<Output: Sendable>(_ type: Output.Type, of response: HTTPResponse) throws -> Output {
        try Serializer<Output>.default.serialize(response)
    }

    @Test func outputTypeSelectsTheSerializer() throws {
        try make(Void.self, of: json)
        #expect(try make(Data.self, of: json) == json.body)
        #expect(try make(String.self, of: json) == #"{"id":1,"name":"Ada"}"#)
        #expect(try make(HTTPResponse.self, of: json).body == json.body)
        #expect(try make(Person.self, of: json) == Person(id: 1, name: "Ada"))
        #expect(try make([Person].self, of: HTTPResponse("[]")) == [])
        #expect(try make([String: JSONValue].self, of: json) == ["id": 1, "name": "Ada"])
        #expect(try make(JSONValue.self, of: json)["id"] == 1)
        #expect(try make(Int.self, of: HTTPResponse("7")) == 7)
    }

    @Test func optionalIsNilWithoutABody() throws {
        #expect(try make(Person?.self, of: none) == nil)
        #expect(try make(Person?.self, of: HTTPResponse("null")) == nil)
        #expect(try make(Person?.self, of: json)?.name == "Ada")
        #expect(try make(Data?.self, of: none) == nil)
        #expect(try make(Data?.self, of: json) == json.body)
        #expect(try make(String?.self, of: none) == nil)
        #expect(try make(String?.self, of: HTTPResponse("abc")) == "abc")
        #expect(try make([Person]?.self, of: none) == nil)
    }

    @Test func typesMayRepresentAnEmptyBody() throws {
        #expect(try make(Receipt.self, of: none) == Receipt())
        #expect(try make(Receipt.self, of: HTTPResponse(#"{"number":3}"#)).number == 3)
        #expect(try make(Data.self, of: none) == Data())
        #expect(try make(String.self, of: none) == "")
        try make(Void.self, of: none)
        let error = try #require(throws: RequestError.self) { try make(Person.self, of: none) }
        #expect(error.code == .emptyResponse)
        #expect(error.detail.contains("Person"))
    }

    @Test func undecodableOutputHasNoSerializer() throws {
        let error = try #require(throws: RequestError.self) { try make(Opaque.self, of: json) }
        #expect(error.code == .noSerializer)
        #expect(error.detail.contains("Opaque"))
        #expect(error.detail.contains("override `serializer`"))
        #expect((Serializer<Opaque>.default.refusal as? RequestError)?.code == .noSerializer)
        #expect(Serializer<Opaque>.default.map { _ in 1 }.refusal != nil)
        #expect(Serializer<Opaque>.default.optional.refusal != nil)
        #expect(Serializer<Person>.default.refusal == nil)
    }

    @Test func theDecoderOfTheClientIsUsed() throws {
        struct Item: Decodable, Sendable { let itemName: String }
        let coding = JSONCoding {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return decoder
        }
        let response = HTTPResponse(#"{"item_name":"x"}"#)
        let context = SerializationContext(json: coding)
        #expect(try Serializer<Item>.default.serialize(response, context: context).itemName == "x")
        #expect(try Serializer<Item>.json.serialize(response, context: context).itemName == "x")
        #expect(try Serializer<Item>.json(decoder: coding.decoder).serialize(response).itemName == "x")
        #expect(throws: RequestError.self) { try Serializer<Item>.default.serialize(response) }
    }
}
