import Foundation
import LoopbackServer
import Synchronization
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

@Suite(.timeLimit(.minutes(20)))
struct DeclaringTests {
    // MARK: Method, URL and headers

    static let methods: [(Endpoint, String)] = [
        (.get("/a"), "GET"), (.head("/a"), "HEAD"), (.post("/a"), "POST"), (.put("/a"), "PUT"),
        (.patch("/a"), "PATCH"), (.delete("/a"), "DELETE"), (.options("/a"), "OPTIONS"),
        (Endpoint(method: HTTPMethod("PURGE"), path: "/a"), "PURGE"),
    ]

    @Test(arguments: methods)
    func serverReceivesTheMethod(endpoint: Endpoint, method: String) async throws {
        let site = try Site()
        site.server.answer("/a", with: .status(204))
        try await Fetch<Void>(endpoint, of: site.client()).promise.value
        #expect(site.server.requests.map(\.method) == [method])
    }

    static let places: [(base: String, path: String, target: String)] = [
        ("", "/users/1", "/users/1"), ("", "users", "/users"), ("/v1", "/users", "/v1/users"),
        ("/v1/", "users", "/v1/users"), ("/v1", "", "/v1"), ("", "/a b/ü", "/a%20b/%C3%BC"),
        ("/v1?key=k", "/users?x=1", "/v1/users?key=k&x=1&n=2"),
    ]

    @Test(arguments: places)
    func pathIsAppendedToTheBaseURL(base: String, path: String, target: String) async throws {
        let site = try Site()
        site.server.answer(with: .status(204))
        let client = Client(baseURL: site.server.url(base))
        let query: Query = target.contains("n=2") ? ["n": 2] : [:]
        try await Fetch<Void>(.get(path, query: query), of: client).promise.value
        #expect(site.server.requests.map(\.target) == [target])
    }

    @Test func absoluteURLNeedsNoBaseURL() async throws {
        let site = try Site()
        site.server.answer(with: .text("x"))
        let promise: Promise<String> = Client().request(.get(site.server.url("/whole").absoluteString, query: ["a": 1]))
        #expect(try await promise.value == "x")
        #expect(site.server.requests.map(\.target) == ["/whole?a=1"])
    }

    @Test func queryHasTheStyleOfTheRequestOrTheClient() async throws {
        final class Bracketed: Fetch<Void> {
            override var queryStyle: QueryStyle { QueryStyle(arrays: .brackets) }
        }
        let site = try Site()
        site.server.answer(with: .status(204))
        let endpoint = Endpoint.get("/a", query: ["tags": ["x", "y"]])
        let commas = Client(baseURL: site.server.url) { $0.queryStyle = QueryStyle(arrays: .commas) }
        try await Fetch<Void>(endpoint, of: site.client()).promise.value
        try await Fetch<Void>(endpoint, of: commas).promise.value
        try await Bracketed(endpoint, of: commas).promise.value
        #expect(site.server.requests.map(\.query) == ["tags=x&tags=y", "tags=x,y", "tags%5B%5D=x&tags%5B%5D=y"])
    }

    @Test func headersOfEndpointOverrideThoseOfRequestAndClient() async throws {
        let site = try Site()
        site.server.answer("/a", with: .status(204))
        let client = site.client(headers: ["X-A": "client", "X-B": "client", "X-C": "client"])
        let request = Fetch<Void>(.get("/a", headers: ["x-c": "endpoint"]), of: client)
        request.fields = ["x-b": "request", "X-C": "request"]
        try await request.promise.value
        let headers = try #require(site.server.requests.first).headers
        #expect(headers.all("X-A") == ["client"])
        #expect(headers.all("X-B") == ["request"])
        #expect(headers.all("X-C") == ["endpoint"])
    }

    @Test func requestsMayHaveCustomBaseClasses() async throws {
        class AppRequest<Output: Sendable>: Request<Output> {
            let owner: Client
            init(_ owner: Client) { self.owner = owner }
            override var client: Client { owner }
            override var headers: Headers { ["X-App": "1"] }
            override var serializer: Serializer<Output> { .default }
        }
        final class GetPerson: AppRequest<Person> {
            var id = 0
            override var endpoint: Endpoint { .get("/people/\(id)") }
        }
        let site = try Site()
        site.server.answer("/people/7", with: .json(#"{"id":7,"name":"Ada"}"#))
        let request = GetPerson(site.client())
        request.id = 7
        #expect(try await request.promise.value == Person(id: 7, name: "Ada"))
        #expect(site.server.requests.first?.headers["X-App"] == "1")
    }

    @Test func requestsUseTheDefaultClient() {
        final class Plain: Request<String> {
            override var endpoint: Endpoint { .get("/a") }
        }
        // Other tests use the default client too, so this test does not set it.
        #expect(Plain().client === Client.default)
    }

    // MARK: Errors before sending

    struct Unencodable: Encodable, Sendable {
        func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue(
                1, EncodingError.Context(codingPath: [], debugDescription: "never"))
        }
    }

    struct Mistake: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let endpoint: Endpoint
        let code: RequestError.Code
        var hasRequest = true

        static let missing = URL(fileURLWithPath: "/nowhere/at/all")
        static let all = [
            Mistake(testDescription: "no endpoint", endpoint: .undeclared, code: .noEndpoint, hasRequest: false),
            Mistake(testDescription: "bad URL", endpoint: .get("http:/x"), code: .badURL, hasRequest: false),
            Mistake(testDescription: "bad scheme", endpoint: .get("ftp://h/x"), code: .badURL, hasRequest: false),
            Mistake(testDescription: "control character", endpoint: .get("/a\nb"), code: .badURL, hasRequest: false),
            Mistake(
                testDescription: "query", endpoint: .get("/a", query: ["n": Double.nan]), code: .notEncodable,
                hasRequest: false),
            Mistake(testDescription: "header", endpoint: .get("/a", headers: ["X": "a\r\nB: c"]), code: .badHeader),
            Mistake(
                testDescription: "method", endpoint: Endpoint(method: HTTPMethod("A B"), path: "/a"), code: .badMethod),
            Mistake(testDescription: "JSON", endpoint: .post("/a", body: .json(Unencodable())), code: .notEncodable),
            Mistake(
                testDescription: "form", endpoint: .post("/a", body: .form(["n": Double.infinity])), code: .notEncodable
            ),
            Mistake(testDescription: "file", endpoint: .post("/a", body: .file(missing)), code: .badBody),
            Mistake(
                testDescription: "part", endpoint: .post("/a", body: .multipart([.file(missing, named: "f")])),
                code: .badBody),
            Mistake(
                testDescription: "body of HEAD", endpoint: Endpoint(method: .head, path: "/a", body: .string("x")),
                code: .unsupported),
        ]
    }

    @Test(arguments: Mistake.all)
    func eachMistakeIsReportedAsOneError(mistake: Mistake) async throws {
        let site = try Site()
        site.server.answer(with: .status(204))
        let facts = Facts()
        let client = site.client(observers: [facts.observer()])
        let call = Fetch<Void>(mistake.endpoint, of: client).start()
        let error = try #require(await refusal(of: call.promise))
        #expect(error.code == mistake.code)
        #expect(error.phase == .prepare)
        #expect(!error.detail.isEmpty && !error.message.isEmpty)
        #expect((error.request != nil) == mistake.hasRequest)
        #expect(error.response == nil)
        #expect(!error.isRetryable)
        #expect(call.state == .finished(.failure))
        #expect(facts.all.filter { $0 != "sending" } == ["willStart", "finished failure"])
        #expect(site.server.requests.isEmpty)
        #expect(client.activeCalls == 0)
    }

    @Test func errorOfAMissingEndpointSaysHowToDeclareIt() async throws {
        final class Forgetful: Request<Person> {}
        let error = try #require(await refusal(of: Forgetful().promise))
        #expect(error.code == .noEndpoint)
        #expect(error.detail.contains("Forgetful"))
        #expect(error.detail.contains("override `endpoint`"))
    }

    @Test func outputWithoutASerializerSendsNoRequest() async throws {
        struct Opaque: Sendable {}
        let site = try Site()
        let error = await refusal(of: Fetch<Opaque>(.get("/a"), of: site.client()).promise)
        #expect(error?.code == .noSerializer)
        #expect(site.server.requests.isEmpty)
    }

    // MARK: One declaration, many calls

    @Test func tenLinksOnThePromiseSendOneRequest() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a"))
        let request = Fetch<String>(.get("/a"), of: site.client())
        let links = (0..<10).map { number in request.promise.next { "\($0)\(number)" } }
        #expect(try await Promise.all(links).value == (0..<10).map { "a\($0)" })
        #expect(request.promise === request.promise)
        #expect(site.server.requestCount == 1)
    }

    /// The task of the first reader is cancelled. A request that is not idempotent is not sent twice.
    @Test(arguments: [
        (HTTPMethod.get, true), (.head, true), (.put, true), (.delete, true), (.post, false), (.patch, false),
    ])
    func promiseOfACancelledCallIsReadAgain(method: HTTPMethod, isSentAgain: Bool) async throws {
        let site = try Site()
        let gate = Gate()
        site.server.enqueue(.text("a").held(by: gate), .text("b"))
        let request = Fetch<Void>(Endpoint(method: method, path: "/a"), of: site.client())
        let first = request.promise
        let reader = Task { try await first.value }
        try await gate.reached()
        #expect(request.promise === first)
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        let second = request.promise
        gate.open()
        if isSentAgain {
            try await second.value
            #expect(request.promise === second)
        } else {
            #expect(second === first)
            await #expect(throws: CancellationError.self) { try await second.value }
        }
        #expect(site.server.requestCount == (isSentAgain ? 2 : 1))
    }

    @Test func failedPromiseIsReadAgain() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a", status: 500))
        let request = Fetch<String>(.get("/a"), of: site.client())
        let first = request.promise
        #expect(await refusal(of: first)?.code == .badStatus)
        #expect(request.promise === first)
        #expect(site.server.requestCount == 1)
    }

    @Test func eachStartIsANewCall() async throws {
        let site = try Site()
        site.server.answer { .text($0.query ?? "") }
        let request = Fetch<String>(.get("/a", query: ["n": 1]), of: site.client())
        let first = request.start()
        request.place = .get("/a", query: ["n": 2])
        let second = request.start()
        #expect(try await first.value == "n=1")
        #expect(try await second.value == "n=2")
        #expect(first.id != second.id)
    }

    #if DEBUG
        @Test(arguments: ["path", "query", "header"])
        func canonicallyEquivalentDeclarationsDiffer(part: String) {
            func fingerprint(_ text: String) -> Fingerprint {
                let endpoint = Endpoint.get(
                    part == "path" ? "/\(text)" : "/", query: part == "query" ? ["q": text] : [:],
                    headers: part == "header" ? ["X": text] : [:])
                return Fingerprint(of: Fetch<String>(endpoint, of: .default))
            }
            let (composed, decomposed) = (fingerprint("caf\u{E9}"), fingerprint("cafe\u{301}"))
            #expect(composed.change(to: fingerprint("caf\u{E9}")) == nil)
            #expect(composed.change(to: decomposed) != nil)
        }

        @Test(arguments: CachePolicy.Fetch.allCases)
        func policyThatNeedsAStoreIsAMistakeWithoutOne(_ fetch: CachePolicy.Fetch) {
            let mistake = StoreReports.mistake(CachePolicy(fetch: fetch), of: Fetch<String>.self)
            let isMistake = fetch != .networkOnly && fetch != .cacheOnly
            #expect(mistake?.hasPrefix("Fetch<String> has the cache policy \(fetch), but") == (isMistake ? true : nil))
        }

        @Test func mistakesAreReportedWithoutSecrets() async throws {
            let site = try Site()
            site.server.answer { _ in .text("a") }
            let mistakes = Facts()
            let before = RequestDiagnostics.onMistake
            RequestDiagnostics.onMistake = { mistakes.note($0) }
            defer { RequestDiagnostics.onMistake = before }
            final class Changing: Fetch<String> {}
            var promises: [Promise<String>] = []
            func reports(_ change: (Changing) -> Void) -> [String] {
                let request = Changing(
                    .post("/a", query: ["token": "secret1"], headers: ["X": "1"], body: .string("b")), of: site.client()
                )
                let count = mistakes.count
                let promise = request.promise
                promises.append(promise)
                #expect(request.promise === promise)
                change(request)
                #expect(request.promise === promise)
                return mistakes.all.dropFirst(count).filter { $0.contains("Changing") }
            }
            #expect(reports { _ in }.isEmpty)
            #expect(reports { $0.place.path = "/b" }.count == 1)
            #expect(reports { $0.place = .post("/secret3").redacting("secret3") }.count == 1)
            #expect(reports { $0.place.query = ["token": "secret2"] }.count == 1)
            #expect(reports { $0.place.headers = ["X": "2"] }.count == 1)
            #expect(reports { $0.fields = ["Y": "2"] }.count == 1)
            #expect(reports { $0.place.body = .string("c") }.count == 1)
            #expect(reports { $0.place.method = .put }.count == 1)
            #expect(!mistakes.all.contains { $0.contains("secret") })
            final class Storing: Fetch<String> {
                override var cachePolicy: CachePolicy { .cacheElseNetwork }
            }
            func storeReports(of client: Client) async throws -> [String] {
                for _ in 1...2 { _ = try await Storing(.get("/a"), of: client).promise.value }
                return mistakes.all.filter { $0.hasPrefix("Storing has the cache policy") }
            }
            #expect(try await storeReports(of: Client(baseURL: site.server.url, cache: MemoryStore())).isEmpty)
            #expect(try await storeReports(of: site.client()).count == 1)
            // The requests must end here, because a server of another test may reuse the port later.
            for promise in promises { #expect(try await promise.value == "a") }
        }
    #endif

    @Test func retryHasTheSamePlanAndCallbacks() async throws {
        let site = try Site()
        site.server.enqueue(.status(503), .text("a"))
        let facts = Facts()
        let request = Fetch<String>(.get("/a"), of: site.client())
        let call = request.start { value, call in
            facts.note("success \(value)")
        } failure: { error, call in
            facts.note("failure")
        }
        await facts.reached("failure")
        request.place = .get("/changed")
        let again = call.retry()
        await facts.reached("success a")
        #expect(again.id != call.id)
        #expect(facts.all == ["failure", "success a"])
        #expect(site.server.requests.map(\.path) == ["/a", "/a"])
        #expect(call.state == .finished(.failure))
        #expect(again.state == .finished(.success))
    }
}
