import Foundation
import TangoRequest
import Testing

@testable import TestSupport

@Suite struct SerializerTests {
    private struct Odd: Error, Equatable {}

    @Test func closureIsASerializer() throws {
        let status = Serializer { response in response.status }
        #expect(try status.serialize(HTTPResponse(status: 201)) == 201)
        let decoded = Serializer<Person> { response, context in
            try context.json.decoder.decode(Person.self, from: response.body)
        }
        #expect(try decoded.serialize(HTTPResponse(#"{"id":1,"name":"Ada"}"#)) == Person(id: 1, name: "Ada"))
    }

    @Test func errorOfAClosureIsTheUnderlyingError() throws {
        let url = try #require(URL(string: "http://localhost/"))
        var response = HTTPResponse("x")
        response.request = HTTPRequest(url: url)
        let serializer = Serializer<Int> { _ in throw Odd() }
        let error = try #require(throws: RequestError.self) { try serializer.serialize(response) }
        #expect(error.code == .notDecodable)
        #expect(error.phase == .decode)
        #expect(error.underlying as? Odd == Odd())
        #expect(error.response?.body == response.body)
        #expect(error.request?.url == url)
        #expect(error.detail.contains("Int"))
    }

    @Test func requestErrorOfAClosureHasItsOwnCode() throws {
        let serializer = Serializer<Int> { _ in throw RequestError(.business, phase: .decode, detail: "x") }
        let error = try #require(throws: RequestError.self) { try serializer.serialize(HTTPResponse("x")) }
        #expect(error.code == .business)
        #expect(error.response?.status == 200)
    }

    @Test func cancellationErrorIsRethrown() {
        let serializer = Serializer<Int> { _ in throw CancellationError() }
        #expect(throws: CancellationError.self) { try serializer.serialize(HTTPResponse("x")) }
    }

    @Test func dataAndResponseAreUnchanged() throws {
        let response = HTTPResponse("abc", status: 201)
        #expect(try Serializer.data.serialize(response) == Data("abc".utf8))
        #expect(try Serializer.data.serialize(HTTPResponse("")) == Data())
        #expect(try Serializer.response.serialize(response).status == 201)
        try Serializer.empty.serialize(response)
    }

    @Test func aSerializerCanBeMapped() throws {
        let names = Serializer<[Person]>.json.map { people in people.map(\.name) }
        #expect(try names.serialize(HTTPResponse(#"[{"id":1,"name":"Ada"}]"#)) == ["Ada"])
        let failing = Serializer.data.map { _ -> Int in throw Odd() }
        let error = try #require(throws: RequestError.self) { try failing.serialize(HTTPResponse("x")) }
        #expect(error.underlying is Odd)
    }

    @Test func optionalSerializerReturnsNilForAnEmptyBody() throws {
        let person = Serializer<Person>.json.optional
        #expect(try person.serialize(HTTPResponse("", status: 204)) == nil)
        #expect(try person.serialize(HTTPResponse(#"{"id":1,"name":"Ada"}"#))?.id == 1)
        #expect(throws: RequestError.self) { try person.serialize(HTTPResponse("{}")) }
        #expect(try Serializer.string.optional.serialize(HTTPResponse("")) == nil)
    }

    @Test func aPropertyListIsDecoded() throws {
        let person = Person(id: 7, name: "Ada")
        let formats: [PropertyListSerialization.PropertyListFormat] = [.xml, .binary]
        for format in formats {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = format
            let response = HTTPResponse(status: 200, body: try encoder.encode(person))
            #expect(try Serializer<Person>.propertyList.serialize(response) == person)
        }
        let error = try #require(throws: RequestError.self) {
            try Serializer<Person>.propertyList.serialize(HTTPResponse("nonsense"))
        }
        #expect(error.code == .notDecodable)
        #expect(throws: RequestError.self) { try Serializer<Person>.propertyList.serialize(HTTPResponse("")) }
    }
}
