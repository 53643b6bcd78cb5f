import Testing

@testable import TangoRequest
@testable import TestSupport

/// The steps of each fetch policy, for each state of the store and each outcome of the network.
struct CachePolicyPlanTests {
    // MARK: Before the network

    private static let asks = StoredStep(next: .ask)
    private static let cleansAndAsks = StoredStep(removes: true, next: .ask)

    @Test(
        arguments: [
            (.cacheElseNetwork, .nothing, asks),
            (.cacheElseNetwork, .fresh, StoredStep(delivers: true, next: .finish)),
            (.cacheElseNetwork, .expired, asks),
            (.cacheElseNetwork, .unusable, cleansAndAsks),
            (.cacheThenNetwork, .nothing, asks),
            (.cacheThenNetwork, .fresh, StoredStep(delivers: true, next: .ask)),
            (.cacheThenNetwork, .expired, asks),
            (.cacheThenNetwork, .unusable, cleansAndAsks),
            (.cacheOnly, .nothing, StoredStep(next: .fail)),
            (.cacheOnly, .fresh, StoredStep(delivers: true, next: .finish)),
            (.cacheOnly, .expired, StoredStep(next: .fail)),
            (.cacheOnly, .unusable, StoredStep(removes: true, next: .fail)),
        ] as [(CachePolicy.Fetch, StoredState, StoredStep)])
    func firstStepDependsOnTheStoredState(_ fetch: CachePolicy.Fetch, _ state: StoredState, _ expected: StoredStep) {
        #expect(CachePolicy(fetch: fetch).readsFirst)
        #expect(CachePolicy(fetch: fetch).opening(state) == expected)
        #expect(CachePolicy(fetch: fetch, hit: .maxAge(.seconds(1))).opening(state) == expected)
        var renewing = expected
        renewing.renews = expected.delivers
        #expect(CachePolicy(fetch: fetch, hit: .sliding(.seconds(1))).opening(state) == renewing)
    }

    @Test(arguments: [.networkOnly, .reload, .networkElseCache, .http] as [CachePolicy.Fetch])
    func otherPoliciesDoNotReadFirst(_ fetch: CachePolicy.Fetch) {
        #expect(!CachePolicy(fetch: fetch).readsFirst)
    }

    // MARK: After the network

    private static let keeps = FetchStep(answer: .output, writes: true)
    private static let passes = FetchStep(answer: .output)
    private static let fails = FetchStep(answer: .error)
    private static let evicts = FetchStep(answer: .error, evicts: true)
    private static let fallsBack = FetchStep(answer: .kept)

    private static let outcomes: [FetchOutcome] = [
        .success, .refused, .badStatus, .unavailable, .timedOut, .cancelled, .wrong,
    ]

    @Test(
        arguments: [
            //                   success refused badStatus unavailable timedOut cancelled wrong
            (.networkOnly, [passes, fails, fails, fails, fails, fails, fails]),
            (.reload, [keeps, evicts, fails, fails, fails, fails, fails]),
            (.cacheElseNetwork, [keeps, evicts, fails, fails, fails, fails, fails]),
            (.cacheThenNetwork, [keeps, evicts, fails, fails, fails, fails, fails]),
            (.networkElseCache, [keeps, evicts, fails, fallsBack, fallsBack, fails, fails]),
            (.http, [passes, fails, fails, fails, fails, fails, fails]),
        ] as [(CachePolicy.Fetch, [FetchStep])])
    func lastStepDependsOnTheOutcome(_ fetch: CachePolicy.Fetch, _ expected: [FetchStep]) {
        for (outcome, step) in zip(Self.outcomes, expected) {
            #expect(CachePolicy(fetch: fetch).closing(outcome) == step, "\(fetch) after \(outcome)")
        }
        #expect(Set(Self.outcomes) == Set(FetchOutcome.allCases))
    }

    @Test(
        arguments: [
            (.fresh, StoredStep(delivers: true, next: .finish)), (.nothing, StoredStep(next: .fail)),
            (.expired, StoredStep(next: .fail)), (.unusable, StoredStep(removes: true, next: .fail)),
        ] as [(StoredState, StoredStep)])
    func fallbackDeliversOnlyFreshResponses(_ state: StoredState, _ expected: StoredStep) {
        #expect(CachePolicy.networkElseCache.fallback(state) == expected)
    }

    // MARK: Outcomes of errors

    @Test(
        arguments: [
            (.business, 200, .refused), (.refusedResponse, 200, .refused),
            (.badStatus, 400, .badStatus), (.badStatus, 401, .badStatus), (.badStatus, 404, .badStatus),
            (.badStatus, 302, .badStatus), (.badStatus, 408, .unavailable), (.badStatus, 425, .unavailable),
            (.badStatus, 429, .unavailable), (.badStatus, 500, .unavailable), (.badStatus, 503, .unavailable),
            (.badStatus, nil, .unavailable), (.connectTimedOut, nil, .timedOut), (.idleTimedOut, nil, .timedOut),
            (.totalTimedOut, nil, .timedOut), (.hostNotFound, nil, .unavailable), (.offline, nil, .unavailable),
            (.cannotConnect, nil, .unavailable),
            (.truncated, 200, .unavailable), (.notDecodable, 200, .unavailable), (.badContentType, 200, .unavailable),
            (.emptyResponse, 200, .unavailable), (.shutDown, nil, .cancelled), (.untrusted, nil, .wrong),
            (.tlsFailed, nil, .unavailable), (.badTrust, nil, .wrong), (.unsupported, nil, .wrong),
            (.badURL, nil, .wrong),
            (.noBaseURL, nil, .wrong), (.duplicate, nil, .wrong), (.proxyFailed, nil, .unavailable),
        ] as [(RequestError.Code, Int?, FetchOutcome)])
    func errorCodesMapToOutcomes(_ code: RequestError.Code, _ status: Int?, _ expected: FetchOutcome) {
        #expect(FetchOutcome(code, status: status.map { HTTPStatus($0) }) == expected)
    }

    @Test func foreignErrorCountsAsUnavailable() {
        struct Odd: Error {}
        #expect(FetchOutcome(Odd()) == .unavailable)
        #expect(FetchOutcome(CancellationError()) == .cancelled)
    }

    // MARK: Effective policies

    @Test(arguments: CachePolicy.Fetch.allCases)
    func policyOfAClientDoesNotApplyToUnsafeMethods(_ fetch: CachePolicy.Fetch) {
        var policy = CachePolicy(fetch: fetch)
        #expect(policy.effective(for: .post, follows: false).fetch == fetch)
        policy.isDefault = true
        #expect(policy.effective(for: .post, follows: false).fetch == (fetch == .http ? .http : .networkOnly))
        #expect(policy.effective(for: .delete, follows: false).fetch == (fetch == .http ? .http : .networkOnly))
        #expect(policy.effective(for: .get, follows: false).fetch == fetch)
        #expect(policy == CachePolicy(fetch: fetch))
    }

    @Test(arguments: CachePolicy.Fetch.allCases)
    func iterationOfValuesUsesCacheAndNetwork(_ fetch: CachePolicy.Fetch) {
        let expected = fetch == .cacheElseNetwork ? CachePolicy.Fetch.cacheThenNetwork : fetch
        #expect(CachePolicy(fetch: fetch).effective(for: .get, follows: true).fetch == expected)
    }

    // MARK: Ages

    @Test(
        arguments: [
            (.always, 0, nil, 1e9, true),
            (.maxAge(.seconds(10)), 100, nil, 100, true), (.maxAge(.seconds(10)), 100, nil, 109.999, true),
            (.maxAge(.seconds(10)), 100, nil, 110, false), (.maxAge(.seconds(10)), 100, 109, 110, false),
            (.maxAge(.zero), 100, nil, 100, false), (.maxAge(.zero), 100, nil, 90, false),
            // The clock was set back.
            (.maxAge(.seconds(10)), 100, nil, 40, true), (.maxAge(.seconds(10)), 100, nil, 39, false),
            (.maxAge(.seconds(100)), 100, nil, 39, false), (.sliding(.seconds(10)), 100, nil, 39, false),
            (.sliding(.seconds(10)), 100, 200, 139, false), (.always, 100, nil, 0, true),
            (.sliding(.seconds(10)), 100, nil, 109, true), (.sliding(.seconds(10)), 100, nil, 110, false),
            (.sliding(.seconds(10)), 100, 109, 118, true), (.sliding(.seconds(10)), 100, 109, 119, false),
            (.sliding(.seconds(10)), 100, 50, 109, true),
        ] as [(CachePolicy.Hit, Double, Double?, Double, Bool)])
    func responseIsFreshAsLongAsThePolicyAllows(
        _ hit: CachePolicy.Hit, _ written: Double, _ used: Double?, _ now: Double, _ expected: Bool
    ) {
        #expect(hit.counts(ResponseTimes(written: written, used: used), at: now) == expected)
    }

    @Test(
        arguments: [
            (.always, nil, 109, false), (.maxAge(.seconds(10)), nil, 109, false),
            (.sliding(.seconds(10)), nil, 100.05, false), (.sliding(.seconds(10)), nil, 100.2, true),
            (.sliding(.seconds(10)), 105, 105.05, false), (.sliding(.seconds(10)), 105, 105.2, true),
        ] as [(CachePolicy.Hit, Double?, Double, Bool)])
    func useIsRecordedAfterAHundredthOfTheAge(_ hit: CachePolicy.Hit, _ used: Double?, _ now: Double, _ expected: Bool)
    {
        #expect(hit.renews(ResponseTimes(written: 100, used: used), at: now) == expected)
    }

    @Test func anAgeIsNeverNegative() {
        #expect(ResponseTimes(written: 100).age(at: 103) == .seconds(3))
        #expect(ResponseTimes(written: 100).age(at: 90) == .zero)
    }
}
