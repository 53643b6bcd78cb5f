import Foundation
import LoopbackServer
import Synchronization
import TangoRequest
import Testing

@testable import TestSupport

@Suite(.timeLimit(.minutes(20)))
struct SendingBodiesTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let body: Body
        let text: String
        let type: String?
        var length: String?
    }

    static let samples = [
        Sample(testDescription: "none", body: .none, text: "", type: nil),
        Sample(testDescription: "data", body: .data(Data("xyz".utf8)), text: "xyz", type: nil, length: "3"),
        Sample(
            testDescription: "data of a type", body: .data(Data("xyz".utf8), contentType: "image/png"), text: "xyz",
            type: "image/png", length: "3"),
        Sample(testDescription: "empty", body: .data(Data()), text: "", type: nil, length: "0"),
        Sample(
            testDescription: "string", body: .string("ü"), text: "ü", type: "text/plain; charset=utf-8", length: "2"),
        Sample(
            testDescription: "value", body: .json(Person(id: 1, name: "Ada")), text: #"{"id":1,"name":"Ada"}"#,
            type: "application/json", length: "21"),
        Sample(
            testDescription: "list", body: .json([1, 2, 3]), text: "[1,2,3]", type: "application/json", length: "7"),
        Sample(
            testDescription: "literal", body: .json(["title": "x", "draft": nil, "n": 1]),
            text: #"{"title":"x","draft":null,"n":1}"#, type: "application/json"),
        Sample(
            testDescription: "mixed literal", body: .json(["b": 1, "a": ["x": 1, "y": nil, "z": "q"]]),
            text: #"{"b":1,"a":{"x":1,"y":null,"z":"q"}}"#, type: "application/json"),
        Sample(
            testDescription: "form", body: .form(["name": "Ada L", "tags": ["a", "b"]]),
            text: "name=Ada+L&tags=a&tags=b",
            type: "application/x-www-form-urlencoded"),
    ]

    @Test(arguments: samples)
    func serverReceivesTheBody(sample: Sample) async throws {
        let site = try Site()
        site.server.answer("/a", with: .status(204))
        try await Fetch<Void>(.post("/a", body: sample.body), of: site.client()).promise.value
        let request = try #require(site.server.requests.first)
        let isJSON = sample.type == "application/json"
        #expect(isJSON ? sorted(request.text) == sorted(sample.text) : request.text == sample.text)
        #expect(request.headers["Content-Type"] == sample.type)
        if let length = sample.length { #expect(request.headers["Content-Length"] == length) }
        #expect(request.headers["Transfer-Encoding"] == nil)
    }

    /// RFC 9110, section 8.6: a request whose method expects no body has no Content-Length.
    @Test(arguments: [HTTPMethod.get, .head])
    func emptyBodyIsOmittedForMethodsWithoutABody(method: HTTPMethod) async throws {
        let site = try Site()
        site.server.answer("/a", with: .status(204))
        let endpoint = Endpoint(method: method, path: "/a", body: .data(Data()))
        try await Fetch<Void>(endpoint, of: site.client()).promise.value
        let request = try #require(site.server.requests.first)
        #expect(request.headers["Content-Length"] == nil)
        #expect(request.headers["Transfer-Encoding"] == nil)
    }

    private func sorted(_ json: String) -> String {
        let object = try? JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
        let data = try? JSONSerialization.data(withJSONObject: object ?? [], options: [.sortedKeys, .fragmentsAllowed])
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    @Test func declaredContentTypeReplacesTheDefault() async throws {
        let site = try Site()
        site.server.answer("/a", with: .status(204))
        let endpoint = Endpoint.post("/a", headers: ["content-type": "application/vnd.api+json"], body: .json(["a": 1]))
        try await Fetch<Void>(endpoint, of: site.client()).promise.value
        #expect(site.server.requests.first?.headers.all("Content-Type") == ["application/vnd.api+json"])
    }

    @Test func theEncoderOfTheClientIsUsed() async throws {
        let site = try Site()
        site.server.answer("/a", with: .status(204))
        let coding = JSONCoding(
            makeDecoder: { JSONDecoder() },
            makeEncoder: {
                let encoder = JSONEncoder()
                encoder.dateEncodingStrategy = .secondsSince1970
                return encoder
            })
        let body = Body.json(["at": Date(timeIntervalSince1970: 5)])
        try await Fetch<Void>(.post("/a", body: body), of: site.client(json: coding)).promise.value
        #expect(site.server.requests.first?.text == #"{"at":5}"#)
    }

    @Test func filesAreSentWithTheirLength() async throws {
        let files = ScratchFiles()
        let content = Data((0..<300_000).map { UInt8($0 % 251) })
        let file = try files.file("a.bin", content)
        let site = try Site()
        site.server.answer("/a", with: .status(204))
        let client = site.client()
        try await Fetch<Void>(.put("/a", body: .file(file, contentType: "image/png")), of: client).promise.value
        try await Fetch<Void>(
            .post("/a", body: .multipart([.text("Ada", named: "n"), .file(file, named: "f")])), of: client
        )
        .promise.value
        let requests = site.server.requests
        #expect(requests[0].body == content)
        #expect(requests[0].headers["Content-Length"] == "300000")
        #expect(requests[0].headers["Content-Type"] == "image/png")
        #expect(requests[1].headers["Content-Length"] == "\(requests[1].bodyCount)")
        #expect(requests[1].headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(requests[1].body.range(of: content) != nil)
        #expect(requests[1].body.range(of: Data(#"filename="a.bin""#.utf8)) != nil)
    }

    @Test(arguments: [nil, 10] as [Int?])
    func streamIsSentAgainOnlyIfItIsReplayable(length: Int?) async throws {
        let site = try Site()
        site.server.answer("/a", with: .status(204))
        let portions = [Data("hello".utf8), Data("world".utf8)]
        let once = Body.stream(
            AsyncStream { continuation in
                for portion in portions { continuation.yield(portion) }
                continuation.finish()
            }, length: length)
        let made = Mutex(0)
        let again = Body.stream(length: length) {
            made.withLock { $0 += 1 }
            return AsyncStream<Data> { continuation in
                for portion in portions { continuation.yield(portion) }
                continuation.finish()
            }
        }
        #expect(!once.isReplayable)
        #expect(again.isReplayable)
        let twice = Twice()
        try await Fetch<Void>(.post("/a", body: once), of: site.client()).promise.value
        try await Fetch<Void>(.post("/a", body: again), of: site.client(interceptors: [twice])).promise.value
        #expect(site.server.requests.map(\.text) == ["helloworld", "helloworld", "helloworld"])
        #expect(
            site.server.requests.map { $0.headers["Content-Length"] }
                == Array(repeating: length.map { "\($0)" }, count: 3))
        #expect(made.withLock { $0 } == 2)
    }

    @Test func errorOfAStreamIsTheUnderlyingError() async throws {
        struct Broken: Error {}
        let site = try Site()
        site.server.answer("/a", with: .status(204))
        let body = Body.stream(
            AsyncThrowingStream<Data, any Error> { continuation in
                continuation.yield(Data("hello".utf8))
                continuation.finish(throwing: Broken())
            })
        let error = try #require(await refusal(of: Fetch<Void>(.post("/a", body: body), of: site.client()).promise))
        #expect(error.code == .badBody)
        #expect(error.underlying is Broken)
        #expect(error.request?.method == .post)
        #expect(!error.isRetryable)
    }
}
