import Foundation
import TangoRequest
import Testing

@testable import TestSupport

/// The snippets of the doc comments of serializers and validation, and tests of their claims.
@Suite struct ResponsesSnippets {
    @Test func coding() throws {
        let coding = JSONCoding(
            makeDecoder: {
                let decoder = JSONCoding.makeDefaultDecoder()
                decoder.keyDecodingStrategy = .convertFromSnakeCase
                return decoder
            },
            makeEncoder: {
                let encoder = JSONCoding.makeDefaultEncoder()
                encoder.keyEncodingStrategy = .convertToSnakeCase
                return encoder
            })
        struct Item: Decodable { let itemName: String }
        #expect(try coding.decoder.decode(Item.self, from: Data(#"{"item_name":"x"}"#.utf8)).itemName == "x")
    }

    @Test func emptyBodies() throws {
        struct Receipt: Decodable, EmptyBodyRepresentable {
            var number: Int?
            static var emptyBody: Receipt { Receipt() }
        }
        #expect(try Serializer<Receipt>.json.serialize(HTTPResponse(status: 204)).number == nil)
    }

    @Test func serializers() throws {
        let users = Serializer<[String]>.json(at: "data.names")
        let size = Serializer { response in response.body.count }
        let response = HTTPResponse(#"{"data":{"names":["Ada"]}}"#)
        #expect(try users.serialize(response) == ["Ada"])
        #expect(try size.serialize(response) == 26)
    }

    @Test func values() {
        let value: JSONValue = ["id": 7, "tags": ["new", nil]]
        let tag = value["tags"]?[0]?.string
        #expect(tag == "new")
    }

    @Test func errors() {
        struct APIError: Decodable, Sendable {
            let reason: String
        }
        let serializer = ErrorSerializer.json(APIError.self) { $0.reason }
        let error = RequestError(.badStatus, phase: .decode, detail: "", response: HTTPResponse(#"{"reason":"No"}"#))
        #expect(serializer.refine(error).message == "No")
    }

    @Test func validation() throws {
        let validation: Validation =
            .status(200..<300) + .contentType("application/json", "application/*+json")
            + .business(code: "status.code", success: [0], message: "status.text")
        let json: Headers = ["Content-Type": "application/problem+json"]
        try validation.check(HTTPResponse(#"{"status":{"code":0}}"#, headers: json))
        let refused = [
            HTTPResponse(status: 404), HTTPResponse("a", headers: ["Content-Type": "text/plain"]),
            HTTPResponse(#"{"status":{"code":7,"text":"No"}}"#, headers: json),
        ]
        let codes = refused.map { response in
            #expect(throws: RequestError.self) { try validation.check(response) }?.code
        }
        #expect(codes == [.badStatus, .badContentType, .business])
    }

    @Test func envelopes() throws {
        struct Envelope: Decodable {
            let code: Int
            let text: String?
        }
        let validation = Validation.business(Envelope.self) { envelope in
            envelope.code == 0 ? nil : BusinessFailure(code: envelope.code, message: envelope.text)
        }
        try validation.check(HTTPResponse(#"{"code":0}"#))
        let error = #expect(throws: RequestError.self) {
            try validation.check(HTTPResponse(#"{"code":7,"text":"Not today."}"#))
        }
        #expect(error?.businessCode == "7")
        #expect(error?.message == "Not today.")
    }
}
