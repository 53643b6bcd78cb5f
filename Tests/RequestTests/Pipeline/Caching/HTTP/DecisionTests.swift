import Foundation
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// Decisions of the HTTP cache at the limits of each rule.
struct DecisionTests {
    static let now = 1_800_000_000.0

    /// Returns a response that was made and has arrived the given numbers of seconds ago.
    private static func stored(
        _ headers: Headers = [:], status: HTTPStatus = .ok, made: Double = 100, arrived: Double = 100,
        content: StoredContent = StoredContent(Data("whole".utf8)), selecting: [SelectingField] = []
    ) -> StoredResponse {
        var all = headers
        if !all.contains("Date") { all.append(name: "Date", value: HTTPDate.text(now - made)) }
        return StoredResponse(
            status: status, headers: all, requestTime: now - arrived, responseTime: now - arrived,
            selecting: selecting, content: content)
    }

    private static func decision(
        _ stored: [StoredResponse], _ headers: Headers = [:], _ situation: CacheSituation = CacheSituation(now: now)
    ) -> CacheDecision {
        CacheDecision.of(
            stored, method: .get, headers: headers, fields: RequestFields(headers), situation: situation)
    }

    private static func place(_ decision: CacheDecision) -> Int? {
        switch decision {
        case .serve(let place, _, _), .validate(let place, _, _), .complete(let place, _, _): place
        case .fetch, .refuse: nil
        }
    }

    @Test(
        arguments: [
            // (made, arrived) of both responses, in seconds ago, and the index of the newer one
            (100, 100, 50, 50, 1),
            (50, 50, 100, 100, 0),
            (50, 90, 100, 10, 0),
            (100, 100, 100, 50, 1),
            (100, 50, 100, 100, 0),
            (100, 100, 100, 100, 1),
        ] as [(Double, Double, Double, Double, Int)])
    func theNewestMatchingResponseIsServed(
        _ made: Double, _ arrived: Double, _ otherMade: Double, _ otherArrived: Double, _ newest: Int
    ) {
        let fresh: Headers = ["Cache-Control": "max-age=86400"]
        let stored = [
            Self.stored(fresh, made: made, arrived: arrived),
            Self.stored(fresh, made: otherMade, arrived: otherArrived),
        ]
        #expect(Self.place(Self.decision(stored)) == newest)
    }

    @Test(
        arguments: [
            ([:], true), (["Content-Encoding": "gzip"], false), (["content-encoding": "identity"], false),
        ] as [(Headers, Bool)])
    func partOfAnEncodedBodyIsNotCompleted(_ more: Headers, _ isCompleted: Bool) {
        var headers: Headers = ["ETag": "\"a\"", "Content-Range": "bytes 0-4/10"]
        headers.merge(more)
        let part = StoredContent(
            parts: [StoredContent.Part(bytes: 0..<5, place: .here(Data("whole".utf8)))], total: 10)
        let decision = Self.decision([Self.stored(headers, status: .partialContent, content: part)])
        if isCompleted {
            guard case .complete(0, 5..<10, _) = decision else {
                Issue.record("\(decision)")
                return
            }
        } else {
            #expect(decision.explanation.reason == .rangeNotStored)
        }
    }

    @Test(arguments: [
        (109.0, "it is fresh"), (110.0, "stale"), (139.0, "stale"), (140.0, "stale"), (140.5, "no longer"),
    ])
    func staleWhileRevalidateLastsToTheLastSecond(_ age: Double, _ words: String) {
        let headers: Headers = ["Cache-Control": "max-age=110, stale-while-revalidate=30"]
        let decision = Self.decision([Self.stored(headers, made: age, arrived: age)])
        switch words {
        case "it is fresh": #expect(decision.explanation.reason == .fresh)
        case "stale":
            #expect(decision.explanation.reason == .staleWhileRevalidate)
            #expect(decision.explanation.outcome == .cachedAndRefreshing)
        default: #expect(decision.explanation.reason == .stale)
        }
    }

    // MARK: Heuristic freshness

    @Test(arguments: [
        (HeuristicFreshness.standard, 100.0, 10.0), (.standard, 864_000_000, 604_800), (.off, 864_000, 0),
        (HeuristicFreshness(fraction: 0.5, limit: .seconds(40)), 60, 30),
        (HeuristicFreshness(fraction: 0.5, limit: .seconds(40)), 100, 40),
        (HeuristicFreshness(fraction: .infinity, limit: .seconds(40)), 100, 40),
        (HeuristicFreshness(fraction: 1, limit: .zero), 100, 0),
    ])
    func heuristicFreshnessIsAFractionOfTheTimeSinceTheChange(
        _ heuristic: HeuristicFreshness, _ unchanged: Double, _ seconds: Double
    ) {
        #expect(heuristic.seconds(unchangedFor: unchanged) == seconds)
    }

    @Test(arguments: [(HeuristicFreshness.standard, true), (.off, false)])
    func heuristicsApplyUnlessTheyAreOff(_ heuristic: HeuristicFreshness, _ isFresh: Bool) {
        let modified = HTTPDate.text(Self.now - 10_000)
        let response = Self.stored(["Last-Modified": modified], made: 100, arrived: 100)
        let situation = CacheSituation(now: Self.now, heuristicFreshness: heuristic)
        let explanation = Self.decision([response], [:], situation).explanation
        #expect(explanation.reason == (isFresh ? .fresh : .stale))
        #expect(explanation.isHeuristic == isFresh)
        // Explicit freshness overrides heuristics.
        let explicit = Self.stored(
            ["Last-Modified": modified, "Cache-Control": "max-age=101"], made: 100, arrived: 100)
        #expect(Self.decision([explicit], [:], situation).explanation.reason == .fresh)
        // A stale response may be served if the server cannot be reached.
        let offline = CacheSituation(now: Self.now + 5000, isOffline: true, heuristicFreshness: heuristic)
        #expect(Self.decision([response], [:], offline).explanation.reason == .offline)
        let soon: Headers = ["Cache-Control": "max-stale=1000"]
        let later = CacheSituation(now: Self.now + 1890, heuristicFreshness: heuristic)
        #expect(Self.decision([response], soon, later).explanation.reason == (isFresh ? .staleAllowed : .stale))
    }

    /// A stale response that may be served during a refresh may also be served if the server fails.
    @Test(arguments: [(5.0, CacheExplanation.Reason.staleIfError), (70, nil)])
    func staleResponseIsServedIfTheServerFails(_ age: Double, _ reason: CacheExplanation.Reason?) {
        let response = Self.stored(
            ["Cache-Control": "max-age=2, stale-while-revalidate=60"], made: age, arrived: age)
        let situation = CacheSituation(now: Self.now, refreshesLater: false)
        #expect(Self.decision([response], [:], situation).explanation.reason == .stale)
        let found = StaleRule.reason(
            .serverError, stored: response, directives: RequestDirectives(), situation: situation)
        #expect(found == reason)
    }
}
