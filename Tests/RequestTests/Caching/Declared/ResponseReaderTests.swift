import Foundation
import Synchronization
import TangoCache
import Testing

@testable import TangoRequest

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
    ) -> ResponseReader<Output> {
        let form = serializer.form
        let isKnown = form != nil || isModel
        let maker = isKnown ? Maker(requestType: ObjectIdentifier(type), client: client, form: form) : nil
        return ResponseReader(
            serializer: serializer, validation: validation, json: .default, hit: hit, keepsModel: isModel,
            requestType: type, maker: maker, tags: ["t"])
    }

    private static func response(_ body: String, headers: Headers = ["ETag": "x"]) -> HTTPResponse {
        HTTPResponse(status: 200, reason: "OK", headers: headers, body: Data(body.utf8))
    }

    private static func read<Output>(
        _ reader: ResponseReader<Output>, _ entry: CacheEntry, headers: Headers = [:], at now: Double = 0
    ) -> (output: Output?, object: Decoded<Output>?, state: StoredState?, reason: CacheActivity.Reason?) {
        var request = request
        request.headers = headers
        switch reader.read(entry, for: request, source: .cache(age: .zero, isStale: false), at: now) {
        case .output(let output, let object): return (output, object, nil, nil)
        case .none(let state, let reason): return (nil, nil, state, reason)
        }
    }

    private static func glance<Output>(
        _ reader: ResponseReader<Output>, _ entry: CacheEntry, at now: Double
    ) -> Output? {
        reader.maker.flatMap { ResponseReader<Output>.glance(entry, by: $0, reader.hit, at: now) }
    }

    /// An entry as it comes from a disk.
    private static func plain(_ entry: CacheEntry) -> CacheEntry {
        var entry = entry
        entry.object = nil
        return entry
    }

    @Test(arguments: [false, true])
    func anAnswerFromTheStoreIsTheOneFromTheServer(_ isModel: Bool) throws {
        let reader: ResponseReader<Model> = Self.reader(isModel: isModel)
        let model = Model(id: 7)
        let entry = try reader.entry(
            of: model, from: Self.response(#"{"id": 7}"#), for: Self.request,
            at: Date(timeIntervalSinceReferenceDate: 5))
        #expect(entry.tags == ["t"])
        #expect(entry.written == Date(timeIntervalSinceReferenceDate: 5))
        #expect(Self.glance(reader, entry, at: 5) == model)
        let read = Self.read(reader, Self.plain(entry))
        #expect(read.output == model)
        var full = Self.plain(entry)
        full.object = read.object
        #expect(Self.glance(reader, full, at: 5) == model)
        #expect(StoredEntry(entry).response(withBody: false)?.headers["etag"] == "x")
    }

    @Test func anObjectIsOnlyForThoseWhoWouldMakeTheSame() throws {
        let reader: ResponseReader<String> = Self.reader(.json(at: "a"))
        let entry = try reader.entry(
            of: "1", from: Self.response(#"{"a": "1", "b": "2"}"#), for: Self.request, at: Date())
        let others: [(ResponseReader<String>, String)] = [
            (Self.reader(.json(at: "b")), "2"), (Self.reader(.json(at: "a"), of: Other.self), "1"),
            (Self.reader(.json(at: "a"), client: 2), "1"), (Self.reader(.string), #"{"a": "1", "b": "2"}"#),
            (Self.reader(Serializer { "\($0.body.count)" }), "20"),
        ]
        for (other, expected) in others {
            #expect(Self.glance(other, entry, at: 0) == nil)
            #expect(Self.read(other, entry).output == expected)
        }
        #expect(Self.glance(reader, entry, at: 0) == "1")
        let number: ResponseReader<Int> = Self.reader(Serializer { $0.body.count })
        #expect(Self.glance(number, entry, at: 0) == nil)
    }

    @Test func aSerializerThatNobodyKnowsDecodesEachTime() throws {
        let count = Mutex(0)
        let counting = Mutex(count.withLock { $0 })
        let reader: ResponseReader<Int> = Self.reader(
            Serializer { response in
                counting.withLock { $0 += 1 }
                return response.body.count
            })
        let entry = try reader.entry(of: 3, from: Self.response("abc"), for: Self.request, at: Date())
        #expect(entry.object == nil)
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
    func anEntryCountsAsLongAsThePolicySays(_ hit: CachePolicy.Hit, _ now: Double, _ expected: Bool) throws {
        let reader: ResponseReader<Data> = Self.reader(hit: hit)
        let written = try reader.entry(
            of: Data(), from: Self.response(""), for: Self.request, at: Date(timeIntervalSinceReferenceDate: 100))
        var entry = StoredEntry(written).used(at: 105)
        #expect((Self.glance(reader, entry, at: now) != nil) == expected)
        entry.object = nil
        let read = Self.read(reader, entry, at: now)
        #expect((read.output != nil) == expected)
        #expect(read.state == (expected ? nil : .expired))
    }

    @Test func whatCannotBeDecodedIsOfNoUse() throws {
        let old: ResponseReader<String> = Self.reader(isModel: true)
        let entry = try old.entry(of: "old", from: Self.response("old"), for: Self.request, at: Date())
        let new: ResponseReader<Model> = Self.reader(isModel: true)
        #expect(Self.read(new, entry).state == .unusable)
        let raw: ResponseReader<Model> = Self.reader()
        #expect(Self.read(raw, entry).state == .unusable)
        #expect(Self.read(raw, CacheEntry(body: Data(#"{"id": 1}"#.utf8))).state == .unusable)
    }

    @Test func whatTheRulesRefuseByNowIsOfNoUse() throws {
        let before: ResponseReader<Model> = Self.reader()
        let entry = try before.entry(
            of: Model(id: 1), from: Self.response(#"{"id": 1}"#), for: Self.request, at: Date())
        let after: ResponseReader<Model> = Self.reader(
            of: Other.self, validation: .business(code: "id", success: [0]))
        #expect(Self.read(after, entry).reason == .unusable)
    }

    @Test func anAnswerThatVariesIsForRequestsWithTheSameFields() throws {
        let reader: ResponseReader<Model> = Self.reader()
        var request = Self.request
        request.headers = ["X-Version": "2"]
        let response = Self.response(#"{"id": 2}"#, headers: ["Vary": "x-version, Accept-Encoding"])
        let entry = try reader.entry(of: Model(id: 2), from: response, for: request, at: Date())
        #expect(Self.glance(reader, entry, at: 0) == nil)
        #expect(Self.read(reader, entry, headers: ["x-version": "2"]).output == Model(id: 2))
        #expect(Self.read(reader, Self.plain(entry), headers: ["x-version": "2"]).object?.varies == true)
        for headers: Headers in [["X-Version": "3"], [:]] {
            #expect(Self.read(reader, entry, headers: headers).reason == .otherVariant)
        }
    }

    @Test(
        arguments: [
            ([:], []), (["Vary": "*"], []), (["Vary": "Accept, accept-encoding,Cookie"], []),
            (["Vary": "X-B, x-a", "vary": "X-A"], ["x-a", "x-b"]), (["Vary": ", ,"], []),
        ] as [(Headers, [String])])
    func whatAnAnswerVariesByIsWhatTheKeyDoesNotTell(_ headers: Headers, _ expected: [String]) {
        #expect(VariedFields.names(in: headers) == expected)
        let text = VariedFields.text(expected, of: ["X-A": "secret"])
        #expect(VariedFields.names(of: text) == expected)
        #expect(!text.contains("secret"))
    }
}
