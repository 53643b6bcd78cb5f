import Foundation
import LoopbackServer
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

@Suite(.timeLimit(.minutes(20)))
struct InterceptorTests {
    struct Making: Interceptor {
        let work: @Sendable (HTTPRequest, CallContext, Next) async throws -> HTTPResponse
        init(_ work: @escaping @Sendable (HTTPRequest, CallContext, Next) async throws -> HTTPResponse) {
            self.work = work
        }
        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            try await work(request, context, next)
        }
    }

    struct Broken: Error {}

    @Test func interceptorChangesTheRequestAndTheResponse() async throws {
        let site = try Site()
        site.server.answer { .text($0.headers["X-A"] ?? "") }
        let client = site.client(
            interceptors: [
                Making { request, context, next in
                    var request = request
                    request.headers["X-A"] = "call \(context.call.name)"
                    var response = try await next(request)
                    response.body.append(contentsOf: "!".utf8)
                    return response
                }
            ])
        #expect(try await client.get("/a", as: String.self).value == "call GET /a!")
    }

    @Test func interceptorMayReturnItsOwnResponse() async throws {
        let site = try Site()
        let facts = Facts()
        let client = site.client(
            interceptors: [Making { request, _, _ in HTTPResponse("mine", headers: ["Content-Type": "text/plain"]) }],
            observers: [facts.observer()])
        let call = Fetch<String>(.get("/a"), of: client).start()
        #expect(try await call.value == "mine")
        #expect(call.response?.status == 200)
        #expect(site.server.requests.isEmpty)
        #expect(facts.all == ["willStart", "finished success"])
    }

    @Test func interceptorsRunBeforeAttemptInterceptorsInOrder() async throws {
        let site = try Site()
        site.server.answer("/a", with: .text("a"))
        let facts = Facts()
        func noting(_ name: String) -> Making {
            Making { request, _, next in
                facts.note("\(name) in")
                defer { facts.note("\(name) out") }
                return try await next(request)
            }
        }
        let client = site.client(
            interceptors: [noting("one"), noting("two")], attemptInterceptors: [noting("three"), noting("four")])
        _ = try await client.get("/a", as: String.self).value
        let names = ["one", "two", "three", "four"]
        #expect(facts.all == names.map { "\($0) in" } + names.reversed().map { "\($0) out" })
    }

    @Test func attemptInterceptorsSeeEachCallOfNext() async throws {
        let site = try Site()
        site.server.enqueue(.status(503), .text("a"))
        let facts = Facts()
        let again = Making { request, _, next in
            let response = try await next(request)
            return response.status == 503 ? try await next(request) : response
        }
        let attempts = Making { request, _, next in
            let response = try await next(request)
            facts.note("attempt \(response.status)")
            return response
        }
        let client = site.client(interceptors: [again], attemptInterceptors: [attempts], observers: [facts.observer()])
        #expect(try await client.get("/a", as: String.self).value == "a")
        #expect(
            facts.all == [
                "willStart", "sending", "response 503", "attempt 503", "sending", "response 200", "attempt 200",
                "finished success",
            ])
    }

    @Test func errorOfAnInterceptorIsTheErrorOfTheCall() async throws {
        let site = try Site()
        let client = site.client(interceptors: [Making { _, _, _ in throw Broken() }])
        await #expect(throws: Broken.self) { try await client.get("/a", as: String.self).value }
        let other = site.client(
            interceptors: [
                Making { _, _, _ in
                    throw RequestError(RequestError.Code(rawValue: "mine"), phase: .prepare, detail: "no")
                }
            ])
        let error = try #require(await refusal(of: other.get("/a", as: String.self)))
        #expect(error.code.rawValue == "mine")
        #expect(error.request?.url == site.server.url("/a"))
    }

    @Test func responseOfAnInterceptorIsValidated() async throws {
        let site = try Site()
        let client = site.client(interceptors: [Making { _, _, _ in HTTPResponse("", status: 418) }])
        let error = try #require(await refusal(of: client.get("/a", as: String.self)))
        #expect(error.code == .badStatus)
        #expect(error.response?.status == 418)
        #expect(error.request?.url == site.server.url("/a"))
    }
}
