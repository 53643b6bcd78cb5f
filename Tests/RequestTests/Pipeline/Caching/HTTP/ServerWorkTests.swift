import Foundation
import TangoCache
import TangoMeasuring
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// Response fields of any length. The work for them grows in proportion to their length.
@Suite(.timeLimit(.minutes(20)))
struct ServerWorkTests {
    /// A response with a number of elements, and the work of the cache for it.
    struct Work: Sendable, CustomTestStringConvertible {
        let name: String
        let prepare: @Sendable (Int) -> @Sendable () -> Void
        var testDescription: String { name }

        init(_ name: String, _ prepare: @escaping @Sendable (Int) -> @Sendable () -> Void) {
            self.name = name
            self.prepare = prepare
        }
    }

    private static func names(_ count: Int) -> [String] { (0..<count).map { "Field-\($0)" } }

    private static func list(_ count: Int) -> String { names(count).joined(separator: ", ") }

    private static func fields(_ count: Int) -> Headers {
        Headers(names(count).map { (name: $0, value: "1") })
    }

    private static func stored(_ headers: Headers) -> StoredResponse {
        StoredResponse(status: .ok, headers: headers, requestTime: 1_800_000_000, responseTime: 1_800_000_000)
    }

    static let works: [Work] = [
        Work("names in Connection") { count in
            let headers = Headers(fields: fields(count).fields + [.init(name: "Connection", value: list(count))])
            return { _ = StoredFields.of(headers, directives: ResponseDirectives(headers), now: 0) }
        },
        Work("names in Connection, for a declared policy") { count in
            let headers = Headers(fields: fields(count).fields + [.init(name: "Connection", value: list(count))])
            return { _ = StoredFields.durable(headers) }
        },
        Work("names in no-cache") { count in
            let headers = Headers(
                fields: fields(count).fields + [.init(name: "Cache-Control", value: "no-cache=\"\(list(count))\"")])
            return { _ = StoredFields.of(headers, directives: ResponseDirectives(headers), now: 0) }
        },
        Work("names in Connection of a 304") { count in
            let headers = Headers(fields: fields(count).fields + [.init(name: "Connection", value: list(count))])
            let stored = stored(fields(count))
            return { _ = stored.updated(with: headers, requestTime: 0, responseTime: 0) }
        },
        Work("names in no-cache of a 304") { count in
            let headers = Headers(
                fields: fields(count).fields + [.init(name: "Cache-Control", value: "no-cache=\"\(list(count))\"")])
            let stored = stored(fields(count))
            return {
                _ = stored.updated(with: headers, requestTime: 0, responseTime: 0)
                _ = StoredFields.passing(headers, beside: stored.headers)
            }
        },
        Work("fields of a 304") { count in
            let stored = stored(fields(count))
            let headers = fields(count)
            return { _ = stored.updated(with: headers, requestTime: 0, responseTime: 0) }
        },
        Work("names in Vary of a 304") { count in
            let stored = stored([:])
            let headers: Headers = ["Vary": list(count)]
            let request = HTTPRequest(url: URL(string: "https://h/")!, headers: fields(20))
            return {
                let updated = stored.updated(with: headers, requestTime: 0, responseTime: 0)
                _ = updated.varying(
                    like: stored, SelectingField.all(in: headers, for: request.headers, hasIdentity: false))
            }
        },
        Work("fields of the request that Vary names") { count in
            let request = HTTPRequest(url: URL(string: "https://h/")!, headers: fields(count))
            let headers: Headers = ["Vary": list(count)]
            return {
                let selecting = SelectingField.all(in: headers, for: request.headers, hasIdentity: false)
                _ = selecting.allSatisfy { $0.matches(request.headers, contentLanguage: nil) }
            }
        },
        Work("names in Vary, for a declared policy") { count in
            let headers: Headers = ["Vary": list(count)]
            let request = fields(20)
            let negotiated = ResponseKey.negotiated(isNamed: false)
            return {
                _ = SelectingField.all(in: headers, for: request, hasIdentity: false, negotiated: negotiated)
            }
        },
        Work("directives") { count in
            let headers: Headers = ["Cache-Control": (0..<count).map { "a\($0)=\"1\"" }.joined(separator: ",")]
            return { _ = ResponseDirectives(headers) }
        },
        Work("quotes that are not closed") { count in
            let headers: Headers = ["Cache-Control": String(repeating: "\"a\\\",", count: count)]
            return { _ = ResponseDirectives(headers) }
        },
        Work("fields of Cache-Control") { count in
            let headers = Headers((0..<count).map { _ in (name: "Cache-Control", value: "max-age=1") })
            return { _ = ResponseDirectives(headers) }
        },
        Work("words of a date") { count in
            let text = String(repeating: "1 ", count: count) + "Jan 2020 10:00:00"
            return { _ = HTTPDate.parseLeniently(text, now: 0) }
        },
        Work("lines of an entry") { count in
            let entry = StoredResponseCoding.entry([stored(fields(count))], tags: [])
            let bytes = CacheEntry(body: Data(), metadata: entry?.metadata ?? [:])
            return { _ = StoredResponseCoding.responses(bytes) }
        },
    ]

    /// Returns the shortest processor time of this thread over five runs of the work.
    private static func cost(_ work: () -> Void) -> Double {
        (0..<5).map { _ in
            var start = timespec()
            var end = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
            work()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
            return Double(end.tv_sec - start.tv_sec) + Double(end.tv_nsec - start.tv_nsec) * 1e-9
        }.min() ?? 0
    }

    /// Sixteen times as many elements take about sixteen times as long, not 256 times.
    @Test(arguments: works)
    func workGrowsInProportionToItsInput(_ work: Work) {
        let few = work.prepare(250)
        let many = work.prepare(4000)
        // Shorter times cannot be measured.
        let small = max(Self.cost(few), 20e-6)
        let large = Self.cost(many)
        #expect(large < small * 100, "\(large) s, for a sixteenth \(small) s")
    }

    // MARK: Vary

    @Test(arguments: [(32, true), (33, false)])
    func responsesVaryingByMoreThan32NamesAreNotCached(_ count: Int, _ isCached: Bool) async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = HTTPCacheOrigin.Reply(headers: [
            ("Cache-Control", "max-age=99"), ("Vary", Self.list(count)),
        ])
        for _ in 0..<2 { _ = try await site.send() }
        #expect(site.origin.requests.count == (isCached ? 1 : 2))
        if !isCached { #expect(site.explanations.all.last?.notStored == .variesByMore) }
    }

    @Test(arguments: [(32, 1), (33, 2)])
    func declaredPoliciesCacheNothingThatVariesByMoreThan32Names(_ count: Int, _ requests: Int) async throws {
        let site = try HTTPCacheSite()
        let client = Client(cache: MemoryStore()) {
            $0.transport = site.origin
            $0.cachePolicy = .cacheElseNetwork
        }
        site.origin.reply = HTTPCacheOrigin.Reply(headers: [("Vary", Self.list(count))])
        let url = try #require(URL(string: "https://h/"))
        for _ in 0..<2 { _ = try await client.send(HTTPRequest(url: url)) }
        #expect(site.origin.requests.count == requests)
    }

    @Test func revalidationVaryingByMoreThan32NamesRemovesTheResponse() async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = HTTPCacheOrigin.Reply(headers: [("Cache-Control", "max-age=0"), ("ETag", "\"a\"")])
        _ = try await site.send()
        site.origin.reply.confirming = [("ETag", "\"a\""), ("Vary", Self.list(33))]
        #expect(try await site.send().source == .validated)
        await site.settle()
        #expect(try await site.store.statistics().count == 0)
    }
}
