import Foundation
import Testing

@testable import TangoRequest
@testable import TestSupport

struct ModelCodingTests {
    private struct Model: Codable, Hashable {
        var id: Int
        var userName: String?
        var date: Date
        var ratio: Double
        var data: Data
    }

    private func back<Output: Sendable>(_ output: Output, json: JSONCoding = .default) throws -> Output {
        let coding = ModelCoding<Output>(json: json)
        return try coding.decode(coding.encode(output))
    }

    @Test func modelIsDecodedUnchanged() throws {
        for ratio in [0.1, .infinity, -.infinity, 1e300] {
            let model = Model(
                id: .max, userName: nil, date: Date(timeIntervalSinceReferenceDate: 0.123_456_789), ratio: ratio,
                data: Data([0, 255]))
            #expect(try back(model) == model)
            #expect(try back([model, model]) == [model, model])
        }
        #expect(try back(Double.nan).isNaN)
    }

    @Test func valuesOtherThanObjectsAreDecodedUnchanged() throws {
        #expect(try back("text") == "text")
        #expect(try back(Int?.none) == nil)
        #expect(try back(Int?.some(1)) == 1)
        #expect(try back(true) == true)
        #expect(try back(Data([1, 2])) == Data([1, 2]))
    }

    @Test func encoderAndDecoderOfAClientNeedNotMatch() throws {
        let json = JSONCoding(makeDecoder: {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            decoder.dateDecodingStrategy = .iso8601
            return decoder
        })
        let model = Model(id: 1, userName: "ada", date: Date(timeIntervalSince1970: 1.5), ratio: 1, data: Data())
        #expect(try back(model, json: json) == model)
    }

    private struct Place: Codable, Hashable {
        static let key = CodingUserInfoKey(rawValue: "place")
        var text: String

        init(text: String) { self.text = text }

        init(from decoder: any Decoder) throws {
            text = Self.key.flatMap { decoder.userInfo[$0] as? String } ?? "none"
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(Self.key.flatMap { encoder.userInfo[$0] as? String } ?? "none")
        }
    }

    @Test func userInfoOfTheDecoderReachesTheModel() throws {
        let key = try #require(Place.key)
        let json = JSONCoding(makeDecoder: {
            let decoder = JSONDecoder()
            decoder.userInfo[key] = "here"
            return decoder
        })
        #expect(try back(Place(text: "x"), json: json).text == "here")
    }

    @Test func onlyCodableTypesAreModels() {
        #expect(ModelCoding<Model>.isPossible)
        #expect(ModelCoding<[Model]>.isPossible)
        #expect(ModelCoding<Model?>.isPossible)
        #expect(!ModelCoding<HTTPResponse>.isPossible)
        #expect(!ModelCoding<Void>.isPossible)
        #expect(throws: (any Error).self) { try ModelCoding<Model>(json: .default).decode(Data("[1]".utf8)) }
    }
}
