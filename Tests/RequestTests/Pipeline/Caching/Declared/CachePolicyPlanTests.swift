import Testing

@testable import TangoRequest
@testable import TestSupport

/// The steps of each fetch policy, for each state of the store and each failure of the network.
struct CachePolicyPlanTests {
    // MARK: Before the network

    @Test(
        arguments: [
            (.cacheElseNetwork, .finish, .send), (.cacheThenNetwork, .send, .send), (.cacheOnly, .finish, .fail),
        ] as [(CachePolicy.Fetch, LookupStep, LookupStep)])
    func firstStepDependsOnTheStoredResponse(_ fetch: CachePolicy.Fetch, _ found: LookupStep, _ missing: LookupStep) {
        for hit: CachePolicy.Hit in [.always, .maxAge(.seconds(1)), .sliding(.seconds(1))] {
            let policy = CachePolicy(fetch: fetch, hit: hit)
            #expect(policy.readsFirst)
            #expect(policy.opening(isFound: true) == found)
            #expect(policy.opening(isFound: false) == missing)
            #expect(policy.isSliding == (hit == .sliding(.seconds(1))))
        }
    }

    @Test(arguments: [.networkOnly, .reload, .networkElseCache, .http] as [CachePolicy.Fetch])
    func otherPoliciesDoNotReadFirst(_ fetch: CachePolicy.Fetch) {
        #expect(!CachePolicy(fetch: fetch).readsFirst)
    }

    // MARK: After the network

    @Test(
        arguments: [
            (.networkOnly, .fail, .fail), (.reload, .evict, .fail), (.cacheElseNetwork, .evict, .fail),
            (.cacheThenNetwork, .evict, .fail), (.cacheOnly, .evict, .fail), (.networkElseCache, .evict, .fallBack),
            (.http, .fail, .fail),
        ] as [(CachePolicy.Fetch, FailureStep, FailureStep)])
    func lastStepDependsOnTheFailure(
        _ fetch: CachePolicy.Fetch, _ refused: FailureStep, _ unavailable: FailureStep
    ) {
        let policy = CachePolicy(fetch: fetch)
        #expect(policy.closing(.refused) == refused)
        #expect(policy.closing(.unavailable) == unavailable)
        #expect(policy.closing(.final) == .fail)
        #expect(policy.isDeclared == (refused == .evict))
    }

    // MARK: Outcomes of errors

    @Test(
        arguments: [
            (.business, 200, .refused), (.refusedResponse, 200, .refused),
            (.badStatus, 400, .final), (.badStatus, 401, .final), (.badStatus, 404, .final),
            (.badStatus, 302, .final), (.badStatus, 408, .unavailable), (.badStatus, 425, .unavailable),
            (.badStatus, 429, .unavailable), (.badStatus, 500, .unavailable), (.badStatus, 503, .unavailable),
            (.badStatus, nil, .unavailable), (.connectTimedOut, nil, .unavailable), (.idleTimedOut, nil, .unavailable),
            (.totalTimedOut, nil, .unavailable), (.hostNotFound, nil, .unavailable), (.offline, nil, .unavailable),
            (.cannotConnect, nil, .unavailable),
            (.truncated, 200, .unavailable), (.notDecodable, 200, .unavailable), (.badContentType, 200, .unavailable),
            (.emptyResponse, 200, .unavailable), (.shutDown, nil, .final), (.untrusted, nil, .final),
            (.tlsFailed, nil, .unavailable), (.badTrust, nil, .final), (.unsupported, nil, .final),
            (.badURL, nil, .final), (.signedOut, nil, .final),
            (.noBaseURL, nil, .final), (.duplicate, nil, .final), (.proxyFailed, nil, .unavailable),
        ] as [(RequestError.Code, Int?, FetchFailure)])
    func errorCodesMapToOutcomes(_ code: RequestError.Code, _ status: Int?, _ expected: FetchFailure) {
        #expect(FetchFailure(code, status: status.map { HTTPStatus($0) }) == expected)
    }

    @Test func foreignErrorCountsAsUnavailable() {
        struct Odd: Error {}
        #expect(FetchFailure(Odd()) == .unavailable)
        #expect(FetchFailure(CancellationError()) == .final)
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
