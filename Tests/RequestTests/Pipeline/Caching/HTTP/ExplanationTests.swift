import Foundation
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// The reason for each decision, as a value and as text.
struct ExplanationTests {
    private static let now = 1_800_000_000.0

    private func stored(_ headers: Headers, selecting: [SelectingField] = []) -> StoredResponse {
        var headers = headers
        headers["Date"] = HTTPDate.text(Self.now)
        return StoredResponse(
            status: 200, headers: headers, requestTime: Self.now, responseTime: Self.now, selecting: selecting,
            content: StoredContent(Data("0123456789".utf8)))
    }

    private func decide(
        _ stored: [StoredResponse], _ headers: Headers = [:], method: HTTPMethod = .get, after seconds: Double = 10,
        isOffline: Bool = false
    ) -> CacheDecision {
        CacheDecision.of(
            stored, method: method, headers: headers, fields: RequestFields(headers),
            situation: CacheSituation(now: Self.now + seconds, isOffline: isOffline))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let stored: Headers
        var asking: Headers = [:]
        var method = HTTPMethod.get
        var after = 10.0
        var isOffline = false
        let outcome: CacheExplanation.Outcome
        let reason: CacheExplanation.Reason

        var testDescription: String { "\(outcome), because \(reason)" }
    }

    @Test(arguments: [
        Case(stored: ["Cache-Control": "max-age=60"], outcome: .cached, reason: .fresh),
        Case(stored: ["Cache-Control": "max-age=5"], outcome: .fetched, reason: .stale),
        Case(stored: ["Cache-Control": "max-age=5, must-revalidate"], outcome: .fetched, reason: .mustRevalidate),
        Case(stored: ["Cache-Control": "max-age=60, no-cache"], outcome: .fetched, reason: .responseNoCache),
        Case(
            stored: ["Cache-Control": "max-age=60"], asking: ["Cache-Control": "no-cache"], outcome: .fetched,
            reason: .requestNoCache),
        Case(
            stored: ["Cache-Control": "max-age=60"], asking: ["Cache-Control": "no-store"], outcome: .fetched,
            reason: .requestNoStore),
        Case(
            stored: ["Cache-Control": "max-age=60"], asking: ["Cache-Control": "max-age=5"], outcome: .fetched,
            reason: .requestMaxAge),
        Case(
            stored: ["Cache-Control": "max-age=60"], asking: ["Cache-Control": "min-fresh=55"], outcome: .fetched,
            reason: .requestMinFresh),
        Case(
            stored: ["Cache-Control": "max-age=5"], asking: ["Cache-Control": "max-stale=60"], outcome: .cached,
            reason: .staleAllowed),
        Case(
            stored: ["Cache-Control": "max-age=5"], asking: ["Cache-Control": "only-if-cached"], outcome: .failed,
            reason: .onlyIfCached),
        Case(
            stored: ["Cache-Control": "max-age=5, stale-while-revalidate=60"], outcome: .cachedAndRefreshing,
            reason: .staleWhileRevalidate),
        Case(
            stored: ["Cache-Control": "max-age=5, stale-while-revalidate=60"], isOffline: true, outcome: .cached,
            reason: .staleWhileRevalidate),
        Case(stored: ["Cache-Control": "max-age=5"], isOffline: true, outcome: .cached, reason: .offline),
        Case(
            stored: ["Cache-Control": "max-age=5, stale-if-error=60"], isOffline: true, outcome: .cached,
            reason: .staleIfError),
        Case(stored: ["Cache-Control": "max-age=60"], after: -1000, outcome: .fetched, reason: .clockMovedBack),
        Case(stored: ["Cache-Control": "max-age=60"], method: .post, outcome: .fetched, reason: .method),
        Case(stored: ["Cache-Control": "max-age=60"], asking: ["If-Match": "*"], outcome: .fetched, reason: .condition),
        Case(
            stored: ["Cache-Control": "max-age=60"], asking: ["Range": "bytes=20-"], outcome: .fetched,
            reason: .rangeNotStored),
    ])
    func everyDecisionHasItsReason(_ row: Case) {
        let decision = decide(
            [stored(row.stored)], row.asking, method: row.method, after: row.after, isOffline: row.isOffline)
        #expect(decision.explanation.outcome == row.outcome)
        #expect(decision.explanation.reason == row.reason)
    }

    @Test func emptyCacheAndNoMatchHaveDifferentReasons() {
        #expect(decide([]).explanation.reason == .nothingStored)
        let variant = stored(["Cache-Control": "max-age=60"], selecting: [SelectingField(name: "foo", value: "1")])
        #expect(decide([variant]).explanation.reason == .noVariant)
    }

    @Test func descriptionIsASentence() {
        let fresh = decide([stored(["Cache-Control": "max-age=60"])])
        #expect(fresh.explanation.description == "served from the cache: the response is fresh; 10 s old of 60 s")
        #expect(!fresh.explanation.isStale)
        let guess = decide([stored(["Last-Modified": HTTPDate.text(Self.now - 1000)])])
        #expect(
            guess.explanation.description == "served from the cache: the response is fresh; 10 s old of 100 s by guess")
        #expect(decide([]).explanation.description == "fetched from the server: nothing is cached for the request")
        let late = decide([stored(["Cache-Control": "max-age=5"])], isOffline: true)
        #expect(late.explanation.isStale)
        #expect(
            late.explanation.description
                == "served from the cache: the response is stale, and the server cannot be reached; 10 s old of 5 s")
        var notStored = CacheExplanation(.fetched, .nothingStored)
        notStored.notStored = .responseNoStore
        #expect(
            notStored.description
                == "fetched from the server: nothing is cached for the request; not stored: the server forbids it")
    }

    @Test(
        arguments: [
            (200, [:], nil), (200, ["Cache-Control": "max-age=60"], "stored"),
            (401, ["Cache-Control": "max-age=60"], "the status is not stored without explicit freshness"),
            (200, ["Cache-Control": "no-store"], "the server forbids it"),
            (200, ["Cache-Control": "max-age=60", "Vary": "*"], "the response varies by more than the request"),
            (299, ["Cache-Control": "max-age=60, must-understand"], "the status must be understood, and is unknown"),
        ] as [(Int, Headers, String?)])
    func explanationSaysWhyAResponseWasNotStored(_ status: Int, _ headers: Headers, _ reason: String?) async throws {
        let site = try HTTPCacheSite()
        site.origin.reply = HTTPCacheOrigin.Reply(status: status, headers: headers.map { ($0.name, $0.value) })
        _ = try await site.send()
        let explanation = try #require(site.explanations.all.last)
        #expect(
            explanation.notStored?.description ?? "stored" == reason
                ?? "the response has neither freshness nor a validator")
    }

    @Test func missesHaveReasons() async throws {
        let site = try HTTPCacheSite()
        func send(_ language: String, _ control: String? = nil) async throws {
            let fields = [("Accept-Language", language)] + (control.map { [("Cache-Control", $0)] } ?? [])
            _ = try await site.send("GET", "http://example.com/a", fields)
        }
        let tag = ("ETag", "\"a\"")
        site.origin.reply = HTTPCacheOrigin.Reply(
            headers: [("Cache-Control", "max-age=5"), ("Vary", "Accept-Language"), tag], body: "one")
        try await send("de")
        #expect(site.misses.all == [.absent])
        try await send("fr")
        #expect(site.misses.all == [.absent, .otherVariant])
        // A hit, a revalidation and a request with no-store are not misses.
        try await send("de")
        site.wait(10)
        try await send("de")
        try await send("de", "no-store")
        #expect(site.misses.all == [.absent, .otherVariant])
        site.wait(10)
        site.origin.reply = HTTPCacheOrigin.Reply(
            headers: [("Cache-Control", "max-age=5"), ("Vary", "Accept-Language"), ("ETag", "\"b\"")], body: "two")
        try await send("de")
        #expect(site.misses.all == [.absent, .otherVariant, .expired])
    }
}
