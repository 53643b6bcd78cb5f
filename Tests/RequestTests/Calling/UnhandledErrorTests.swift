import Foundation
import LoopbackServer
import PromiseReports
import Synchronization
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// The report of an unhandled error, which names the request and no file of this package.
@Suite(.serialized, .timeLimit(.minutes(20))) struct UnhandledErrorTests {
    private let site: Site
    private let client: Client

    private struct Odd: Error {}

    init() throws {
        site = try Site()
        client = site.client()
    }

    final class GetSecret: Fetch<String> {}

    /// Returns the report of the first error that passes the filter. The body creates the promise and releases it.
    private func report(
        of matches: @escaping @Sendable (any Error) -> Bool, _ body: @Sendable () async throws -> Void
    ) async throws -> PromiseReport {
        let (reported, resolver) = Promise<PromiseReport>.pending()
        let listener = ReportListener { report in
            guard matches(report.error) else { return false }
            resolver.fulfill(report)
            return true
        }
        defer { listener.stop() }
        try await body()
        return try await reported.value
    }

    @Test func reportNamesTheRequest() async throws {
        site.server.answer("/secret", with: .status(404))
        let url = "\(site.server.url)/secret?token=hunter2&page=1"
        let report = try await report(of: { ($0 as? RequestError)?.request?.url.absoluteString == url }) {
            GetSecret(.get("/secret", query: ["token": "hunter2", "page": 1]), of: client).promise.next { $0.count }
        }
        let text = "\(report)"
        #expect(!text.contains("hunter2"))
        #expect(!text.contains("TangoRequest/"))
        let line = "GetSecret, GET \(site.server.url)/secret?token=…&page=1"
        #if DEBUG
            #expect(report.origin == line)
            #expect(report.site == nil)
            #expect(text.hasPrefix("Unhandled error in the promise of \(line): badStatus (decode): "), "\(text)")
        #else
            #expect(report.origin == nil)
        #endif
        // In release builds too, the error names the request.
        #expect("\(report.error)".contains(", \(line), status 404"), "\(report.error)")
    }

    @Test func anErrorOfAnInterceptorIsReportedWithTheRequest() async throws {
        let client = site.client(interceptors: [Throwing()])
        let report = try await report(of: { $0 is Throwing.NoToken }) {
            _ = GetSecret(.post("/orders"), of: client).promise
        }
        #if DEBUG
            #expect(report.origin == "GetSecret, POST \(site.server.url)/orders")
        #endif
        #expect(report.error is Throwing.NoToken)
    }

    struct Throwing: Interceptor {
        struct NoToken: Error {}
        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            throw NoToken()
        }
    }

    @Test func aRequestWithoutAClassIsNamedByItsURL() async throws {
        site.server.answer("/plain", with: .status(410))
        let url = "\(site.server.url)/plain"
        let report = try await report(of: { ($0 as? RequestError)?.request?.url.absoluteString == url }) {
            _ = client.get("/plain", as: String.self)
        }
        #if DEBUG
            #expect(report.origin == "GET \(url)")
        #endif
    }

    /// The call has failed already, so its promise is created with the error.
    @Test func reportOfALatePromiseNamesTheRequest() async throws {
        site.server.answer("/late", with: .status(404))
        let url = "\(site.server.url)/late"
        let report = try await report(of: { ($0 as? RequestError)?.request?.url.absoluteString == url }) {
            let call = GetSecret(.get("/late"), of: client).start()
            for await state in call.states where state.isFinished { break }
            _ = call.promise
        }
        #if DEBUG
            #expect(report.origin == "GetSecret, GET \(url)")
        #endif
    }

    /// The custom date function of a query style may read the call.
    @Test func aCallIsNamedWithoutHoldingALock() async throws {
        site.server.answer("/dated", with: .text("ok"))
        let seen = Mutex<Call<String>?>(nil)
        let dates = QueryStyle.Dates.custom { _ in
            let call = seen.withLock { call in
                defer { call = nil }
                return call
            }
            _ = call?.promise
            return "now"
        }
        final class Dated: Fetch<String> {
            var style = QueryStyle()
            override var queryStyle: QueryStyle { style }
        }
        let request = Dated(.get("/dated", query: ["at": Date()]), of: client)
        request.style = QueryStyle(dates: dates)
        let call = request.start()
        seen.withLock { $0 = call }
        #expect(try await call.promise.value == "ok")
    }
}
