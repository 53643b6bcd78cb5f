import Foundation
import LoopbackServer
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

@Suite(.timeLimit(.minutes(20)))
struct SerializingTests {
    static let ada = #"{"id":1,"name":"Ada"}"#

    func value<Output>(
        _ answer: Response, as output: Output.Type = Output.self, by form: Serializer<Output> = .default,
        _ change: (Fetch<Output>) -> Void = { _ in }
    ) async throws -> Output {
        let site = try Site()
        site.server.answer("/a", with: answer)
        let request = Fetch<Output>(.get("/a"), of: site.client(), by: form)
        change(request)
        return try await request.promise.value
    }

    // MARK: Output types

    @Test func outputTypeSelectsTheSerializer() async throws {
        #expect(try await value(.json(Self.ada), as: Person.self) == Person(id: 1, name: "Ada"))
        #expect(try await value(.json("[\(Self.ada)]"), as: [Person].self) == [Person(id: 1, name: "Ada")])
        #expect(try await value(.text("ü"), as: String.self) == "ü")
        #expect(try await value(.text("ü"), as: Data.self) == Data("ü".utf8))
        #expect(try await value(.status(204), as: Data.self).isEmpty)
        #expect(try await value(.status(204), as: Person?.self) == nil)
        #expect(try await value(.json(Self.ada), as: Person?.self) == Person(id: 1, name: "Ada"))
        #expect(try await value(.status(204), as: Receipt.self) == Receipt())
        #expect(try await value(.text("x"), as: HTTPResponse.self).status == 200)
        try await value(.status(204), as: Void.self)
        try await value(.text("anything"), as: Void.self)
    }

    @Test func declaredSerializerIsUsed() async throws {
        let envelope = #"{"data":{"user":\#(Self.ada)}}"#
        #expect(try await value(.json(envelope), as: Person.self, by: .json(at: "data.user")).name == "Ada")
        #expect(try await value(.text("abc"), as: Int.self, by: Serializer { $0.body.count }) == 3)
        #expect(try await value(.json(Self.ada), as: String.self, by: Serializer<Person>.json.map(\.name)) == "Ada")
        #expect(try await value(.json("{}"), as: JSONValue.self, by: .jsonObject) == .object([:]))
    }

    @Test func theDecoderOfTheClientIsUsed() async throws {
        struct Event: Decodable, Sendable { let startedAt: Date }
        let site = try Site()
        site.server.answer("/a", with: .json(#"{"started_at":5}"#))
        let coding = JSONCoding(
            makeDecoder: {
                let decoder = JSONDecoder()
                decoder.keyDecodingStrategy = .convertFromSnakeCase
                decoder.dateDecodingStrategy = .secondsSince1970
                return decoder
            })
        let event = try await site.client(json: coding).get("/a", as: Event.self).value
        #expect(event.startedAt == Date(timeIntervalSince1970: 5))
    }

    @Test func serializerRunsOffTheMainThread() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a"))
        let promise = await MainActor.run {
            Fetch<Bool>(.get("/a"), of: site.client(), by: Serializer { _ in MainQueue.isCurrent }).promise
        }
        #expect(try await promise.value == false)
        #expect(await MainActor.run { MainQueue.isCurrent })
    }

    // MARK: Errors

    @Test func decodingErrorNamesThePlace() async throws {
        let body = #"[{"id":1,"name":"Ada"},{"id":2,"name":3}]"#
        let error = try #require(await refusal(of: { try await value(.json(body), as: [Person].self) }))
        #expect(error.code == .notDecodable)
        #expect(error.phase == .decode)
        #expect(error.detail.contains("name"))
        #expect(error.detail.contains("1"))
        #expect(error.response?.body == Data(body.utf8))
        #expect(error.request?.method == .get)
        #expect(!error.description.contains("Ada"))
    }

    @Test func emptyBodyFailsWhereABodyIsNeeded() async throws {
        for answer in [Response.status(204), .text(""), .text(" \n")] {
            let error = try #require(await refusal(of: { try await value(answer, as: Person.self) }))
            #expect(error.code == .emptyResponse)
            #expect(error.detail.contains("Person"))
        }
    }

    @Test func errorOfASerializerIsTheUnderlyingError() async throws {
        struct Broken: Error {}
        let form = Serializer<Int> { _ in throw Broken() }
        let error = try #require(await refusal(of: { try await value(.text("a"), as: Int.self, by: form) }))
        #expect(error.code == .notDecodable)
        #expect(error.underlying is Broken)
        #expect(error.response?.status == 200)
    }

    @Test func bodyAboveTheLimitFails() async throws {
        let error = try #require(
            await refusal(of: { try await value(.text("12345"), as: String.self) { $0.limit = 4 } }))
        #expect(error.code == .responseTooLarge)
        #expect(error.response?.status == 200)
        #expect(error.request != nil)
        #expect(try await value(.text("12345"), as: String.self) { $0.limit = 5 } == "12345")
    }

    // MARK: Rules

    @Test(arguments: [199, 200, 201, 299, 300, 304, 400, 404, 500, 503].filter { $0 >= 200 })
    func aStatusFrom200To299IsASuccess(status: Int) async throws {
        let error = await refusal(of: { try await value(.status(status), as: Void.self) })
        #expect((error == nil) == (200..<300).contains(status))
        if let error {
            #expect(error.code == .badStatus)
            #expect(error.response?.status.code == status)
            #expect(!error.message.isEmpty)
        }
    }

    @Test func redirectErrorNamesTheLocationWithoutSecrets() async throws {
        let answer = Response.redirect(to: "/there?token=secret", status: 300)
        let error = try #require(await refusal(of: { try await value(answer, as: String.self) }))
        #expect(error.code == .badStatus)
        #expect(error.description.contains("/there"))
        #expect(!error.description.contains("secret"))
        #expect(error.response?.headers["Location"] == "/there?token=secret")
    }

    @Test func requestMayDeclareItsOwnRules() async throws {
        let notFound = try await value(.text("none", status: 404), as: String.self) { $0.rules = .status(200..<500) }
        #expect(notFound == "none")
        let error = await refusal(of: {
            try await value(.text("x"), as: String.self) { $0.rules = .contentType("application/json") }
        })
        #expect(error?.code == .badContentType)
        struct Mine: Error {}
        let own = await refusal(of: {
            try await value(.text("x"), as: String.self) { $0.rules = .custom { _ in throw Mine() } }
        })
        #expect(own?.code == .refusedResponse)
        #expect(own?.underlying is Mine)
    }

    @Test func businessCodeFailsWithItsMessage() async throws {
        let rules = Validation.default + .business(code: "code", success: [0], message: "text")
        let body = #"{"code":0,"data":\#(Self.ada)}"#
        let person = try await value(.json(body), as: Person.self, by: .json(at: "data")) { $0.rules = rules }
        #expect(person.id == 1)
        let error = try #require(
            await refusal(of: {
                try await value(.json(#"{"code":17,"text":"Sold out"}"#), as: Person.self) { $0.rules = rules }
            }))
        #expect(error.code == .business)
        #expect(error.businessCode == "17")
        #expect(error.message == "Sold out")
        #expect(error.response?.status == 200)
    }

    @Test func errorBodyIsDecodedAsItsOwnType() async throws {
        struct APIError: Decodable, Sendable { let reason: String }
        let site = try Site()
        site.server.answer("/a", with: .json(#"{"reason":"closed"}"#, status: 403))
        site.server.answer("/b", with: .text("no JSON", status: 403))
        let client = site.client(errorSerializer: .json(APIError.self) { $0.reason })
        let error = try #require(await refusal(of: client.get("/a", as: Person.self)))
        #expect(error.payload(as: APIError.self)?.reason == "closed")
        #expect(error.message == "closed")
        let other = try #require(await refusal(of: client.get("/b", as: Person.self)))
        #expect(other.code == .badStatus)
        #expect(other.payload(as: APIError.self) == nil)
        let request = Fetch<Person>(.get("/a"), of: site.client())
        request.errorForm = .json(APIError.self)
        #expect(await refusal(of: request.promise)?.payload(as: APIError.self)?.reason == "closed")
    }

    @Test func failedCallHasItsResponse() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("no", status: 500).header("X-A", "1"))
        site.server.answer("/b", with: .text("cut off").declaring(length: 100).closing())
        let call = Fetch<String>(.get("/a"), of: site.client()).start()
        _ = await refusal(of: call.promise)
        #expect(call.response?.headers["X-A"] == "1")
        #expect(call.response?.status == 500)
        #expect(call.metrics?.bodyBytesReceived == 2)
        let cut = Fetch<String>(.get("/b"), of: site.client()).start()
        let error = try #require(await refusal(of: cut.promise))
        #expect(error.code == .truncated)
        #expect(error.response?.status == 200)
        #expect(cut.response?.status == 200)
    }
}
