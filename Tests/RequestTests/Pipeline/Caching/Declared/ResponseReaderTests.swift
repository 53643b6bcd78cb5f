import Foundation
import Synchronization
import TangoAuth
import TangoCache
import TangoCookies
import Testing

@testable import TangoRequest
@testable import TestSupport

struct ResponseReaderTests {
    private struct Model: Codable, Hashable {
        var id: Int
    }

    private class One {}
    private class Other {}

    private static let request = HTTPRequest(url: URL(fileURLWithPath: "/"))

    private static func reader<Output: Sendable>(
        _ serializer: Serializer<Output> = .default, isModel: Bool = false, of type: Any.Type = One.self,
        client: UInt64 = 1, hit: CachePolicy.Hit = .always, validation: Validation = .default
    ) -> TypedReader<Output> {
        let form = serializer.form
        let isKnown = form != nil || isModel
        let decodingKey = isKnown ? DecodingKey(requestType: ObjectIdentifier(type), client: client, form: form) : nil
        return TypedReader(
            untyped: ResponseReader(
                decoder: serializer.decoder, validation: validation, json: .default, hit: hit,
                keepsModel: isModel, requestType: type, form: form, decodingKey: decodingKey, tags: ["t"]))
    }

    private static func response(_ body: String, headers: Headers = ["ETag": "x"]) -> HTTPResponse {
        HTTPResponse(status: 200, reason: "OK", headers: headers, body: Data(body.utf8))
    }

    private static func read<Output>(
        _ reader: TypedReader<Output>, _ responses: StoredResponses, headers: Headers = [:], at now: Double = 0
    ) -> (output: Output?, object: StoredResponses.Decoded?, reason: CacheActivity.Reason?) {
        var request = request
        request.headers = headers
        switch reader.untyped.read(responses, for: request, isStale: false, at: now) {
        case .output(let output, _, let object): return (output.value(as: Output.self), object, nil)
        case .none(let reason): return (nil, nil, reason)
        }
    }

    private static func peek<Output>(
        _ reader: TypedReader<Output>, _ responses: StoredResponses, at now: Double
    ) -> Output? {
        reader.decodingKey.flatMap { reader.peek(responses, by: $0, at: now) }
    }

    /// Returns the responses in memory after the output was stored.
    private static func responses<Output>(
        _ reader: TypedReader<Output>, _ output: Output, from response: HTTPResponse,
        for request: HTTPRequest = request, at now: Double = 0
    ) throws -> StoredResponses {
        let stored = try reader.stored(output, from: response, for: request, at: now)
        return StoredResponses([stored], decoded: [reader.decoded(output, of: stored)].compactMap(\.self))
    }

    /// Returns the responses as they are read from disk.
    private static func plain(_ responses: StoredResponses) throws -> StoredResponses {
        var entry = try #require(StoredResponseCoding.entry(responses.all, tags: []))
        entry.object = nil
        return StoredResponses(StoredResponseCoding.responses(entry))
    }

    @Test(arguments: [false, true])
    func cachedResponseEqualsTheServerResponse(_ isModel: Bool) throws {
        let reader: TypedReader<Model> = Self.reader(isModel: isModel)
        let model = Model(id: 7)
        let responses = try Self.responses(reader, model, from: Self.response(#"{"id": 7}"#), at: 5.000_000_1)
        #expect(responses.all[0].tags == ["t"])
        #expect(Self.peek(reader, responses, at: 6) == model)
        let plain = try Self.plain(responses)
        #expect(plain.all[0].responseTime == 5.000_000_1)
        let (declared, expected) = (plain.all[0].declared, responses.all[0].declared)
        #expect(declared?.model == expected?.model)
        #expect(declared?.used == expected?.used)
        #expect(declared?.isMoved == expected?.isMoved)
        let read = Self.read(reader, plain)
        #expect(read.output == model)
        let object = try #require(read.object)
        let full = plain.adding(object)
        #expect(Self.peek(reader, full, at: 6) == model)
        #expect(plain.all[0].response.headers["etag"] == "x")
    }

    @Test func objectIsUsedOnlyByReadersThatWouldMakeTheSame() throws {
        let reader: TypedReader<String> = Self.reader(.json(at: "a"))
        let entry = try Self.responses(reader, "1", from: Self.response(#"{"a": "1", "b": "2"}"#))
        let others: [(TypedReader<String>, String)] = [
            (Self.reader(.json(at: "b")), "2"), (Self.reader(.json(at: "a"), of: Other.self), "1"),
            (Self.reader(.json(at: "a"), client: 2), "1"), (Self.reader(.string), #"{"a": "1", "b": "2"}"#),
            (Self.reader(Serializer { "\($0.body.count)" }), "20"),
        ]
        for (other, expected) in others {
            #expect(Self.peek(other, entry, at: 0) == nil)
            #expect(Self.read(other, entry).output == expected)
        }
        #expect(Self.peek(reader, entry, at: 0) == "1")
        let number: TypedReader<Int> = Self.reader(Serializer { $0.body.count })
        #expect(Self.peek(number, entry, at: 0) == nil)
    }

    @Test func serializerWithoutAFormDecodesEachTime() throws {
        let count = Mutex(0)
        let counting = Mutex(count.withLock { $0 })
        let reader: TypedReader<Int> = Self.reader(
            Serializer { response in
                counting.withLock { $0 += 1 }
                return response.body.count
            })
        let entry = try Self.responses(reader, 3, from: Self.response("abc"))
        #expect(entry.decoded.isEmpty)
        #expect(Self.read(reader, entry).output == 3)
        #expect(Self.read(reader, entry).object == nil)
        #expect(counting.withLock { $0 } == 2)
    }

    @Test(
        arguments: [
            (CachePolicy.Hit.always, 1e9, true), (.maxAge(.seconds(10)), 109, true),
            (.maxAge(.seconds(10)), 110, false),
            (.sliding(.seconds(10)), 114, true), (.sliding(.seconds(10)), 115, false),
        ])
    func responseIsUsedAsLongAsThePolicyAllows(_ hit: CachePolicy.Hit, _ now: Double, _ expected: Bool) throws {
        let reader: TypedReader<Data> = Self.reader(hit: hit)
        let written = try Self.responses(reader, Data(), from: Self.response(""), at: 100)
        var stored = written.all[0]
        stored.declared?.used = 105
        let used = StoredResponses([stored], decoded: written.decoded)
        #expect((Self.peek(reader, used, at: now) != nil) == expected)
        let read = Self.read(reader, try Self.plain(used), at: now)
        #expect((read.output != nil) == expected)
        #expect(read.reason == (expected ? nil : .expired))
    }

    @Test func undecodableResponseIsUnusable() throws {
        let old: TypedReader<[String]> = Self.reader(isModel: true)
        let entry = try Self.responses(old, ["old"], from: Self.response("old"))
        let new: TypedReader<Model> = Self.reader(isModel: true)
        #expect(Self.read(new, entry).reason == .unusable)
        let raw: TypedReader<Model> = Self.reader()
        #expect(Self.read(raw, entry).reason == .unusable)
        let other = StoredResponseCoding.responses(CacheEntry(body: Data(#"{"id": 1}"#.utf8)))
        #expect(Self.read(raw, StoredResponses(other)).reason == .unusable)
    }

    @Test func responseThatValidationRejectsIsUnusable() throws {
        let before: TypedReader<Model> = Self.reader()
        let entry = try Self.responses(before, Model(id: 1), from: Self.response(#"{"id": 1}"#))
        let after: TypedReader<Model> = Self.reader(
            of: Other.self, validation: .business(code: "id", success: [0]))
        #expect(Self.read(after, entry).reason == .unusable)
    }

    @Test func variantIsOnlyForRequestsWithTheSameFields() throws {
        let reader: TypedReader<Model> = Self.reader()
        var request = Self.request
        request.headers = ["X-Version": "2"]
        let response = Self.response(#"{"id": 2}"#, headers: ["Vary": "x-version, Accept-Encoding"])
        let entry = try Self.responses(reader, Model(id: 2), from: response, for: request)
        #expect(Self.peek(reader, entry, at: 0) == nil)
        #expect(Self.read(reader, entry, headers: ["x-version": "2"]).output == Model(id: 2))
        #expect(Self.read(reader, try Self.plain(entry), headers: ["x-version": "2"]).object?.varies == true)
        for headers: Headers in [["X-Version": "3"], [:]] {
            #expect(Self.read(reader, entry, headers: headers).reason == .otherVariant)
        }
    }

    @Test(
        arguments: [
            ([:], []), (["Vary": "*"], []), (["Vary": "Accept, accept-encoding,Authorization"], []),
            (["Vary": "X-B, x-a", "vary": "X-A"], ["x-a", "x-b"]), (["Vary": ", ,"], []),
        ] as [(Headers, [String])])
    func selectingFieldsExcludeTheFieldsOfTheKey(_ headers: Headers, _ expected: [String]) {
        for hasIdentity in [false, true] {
            let fields = SelectingField.all(
                in: headers, for: ["X-A": "secret"], hasIdentity: hasIdentity,
                negotiated: ResponseKey.negotiated(isNamed: false))
            #expect(fields.map(\.name) == expected)
            #expect(!fields.contains { $0.value?.contains("secret") == true || $0.sent != nil })
        }
    }

    /// Cookies change without another user, and keys without an identity have their digest.
    @Test(arguments: [true, false])
    func cookiesSelectResponsesOfAnIdentity(_ hasIdentity: Bool) {
        let fields = SelectingField.all(
            in: ["Vary": "Cookie"], for: ["Cookie": "secret=1"], hasIdentity: hasIdentity,
            negotiated: ResponseKey.negotiated(isNamed: false))
        #expect(fields.map(\.name) == (hasIdentity ? ["cookie"] : []))
        #expect(!fields.contains { $0.value?.contains("secret") == true || $0.sent != nil })
    }
}

/// A reader with the type of its outputs.
private struct TypedReader<Output: Sendable> {
    let untyped: ResponseReader

    var decodingKey: DecodingKey? { untyped.decodingKey }

    func peek(_ responses: StoredResponses, by decodingKey: DecodingKey, at now: Double) -> Output? {
        ResponseReader.peek(
            responses, by: decodingKey, untyped.decoder, untyped.hit, untyped.validation, at: now
        )?.output.value(as: Output.self)
    }

    func stored(
        _ output: Output, from response: HTTPResponse, for request: HTTPRequest, at now: Double
    ) throws -> StoredResponse {
        try untyped.stored(TypedOutput(output), from: response, for: request, at: now)
    }

    func decoded(_ output: Output, of stored: StoredResponse) -> StoredResponses.Decoded? {
        untyped.decoded(TypedOutput(output), of: stored)
    }
}
