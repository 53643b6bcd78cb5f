import TangoRequest
import Testing

@testable import TestSupport

struct CachePolicyTests {
    private typealias Row = (CachePolicy, CachePolicy.Fetch, CachePolicy.Hit, CachePolicy.Write)

    private static let names: [Row] = [
        (.networkOnly, .networkOnly, .always, .raw),
        (.reload, .reload, .always, .raw),
        (.reload(write: .model), .reload, .always, .model),
        (.cacheElseNetwork, .cacheElseNetwork, .always, .raw),
        (.cacheElseNetwork(), .cacheElseNetwork, .always, .raw),
        (.cacheElseNetwork(maxAge: .seconds(5)), .cacheElseNetwork, .maxAge(.seconds(5)), .raw),
        (.cacheElseNetwork(maxAge: .seconds(5), write: .model), .cacheElseNetwork, .maxAge(.seconds(5)), .model),
        (.cacheThenNetwork, .cacheThenNetwork, .always, .raw),
        (.cacheThenNetwork(maxAge: .seconds(5), write: .model), .cacheThenNetwork, .maxAge(.seconds(5)), .model),
        (.networkElseCache, .networkElseCache, .always, .raw),
        (.networkElseCache(maxAge: .seconds(5)), .networkElseCache, .maxAge(.seconds(5)), .raw),
        (.networkElseCache(write: .model), .networkElseCache, .always, .model),
        (.cacheOnly, .cacheOnly, .always, .raw),
        (.cacheOnly(maxAge: .seconds(5)), .cacheOnly, .maxAge(.seconds(5)), .raw),
        (.http, .http, .always, .raw),
        (CachePolicy(fetch: .reload), .reload, .always, .raw),
        (
            CachePolicy(fetch: .cacheOnly, hit: .sliding(.seconds(9)), write: .model), .cacheOnly,
            .sliding(.seconds(9)), .model
        ),
    ]

    @Test(arguments: names)
    func namedPolicyHasThreeParts(
        _ policy: CachePolicy, _ fetch: CachePolicy.Fetch, _ hit: CachePolicy.Hit, _ write: CachePolicy.Write
    ) {
        #expect(policy.fetch == fetch)
        #expect(policy.hit == hit)
        #expect(policy.write == write)
        #expect(policy == CachePolicy(fetch: fetch, hit: hit, write: write))
        #expect(Set([policy, CachePolicy(fetch: fetch, hit: hit, write: write)]).count == 1)
    }

    @Test func policiesThatDifferInOnePartDiffer() {
        let policy = CachePolicy.cacheElseNetwork(maxAge: .seconds(5))
        for other: CachePolicy in [
            .cacheThenNetwork(maxAge: .seconds(5)), .cacheElseNetwork(maxAge: .seconds(6)), .cacheElseNetwork,
            .cacheElseNetwork(maxAge: .seconds(5), write: .model),
            CachePolicy(fetch: .cacheElseNetwork, hit: .sliding(.seconds(5))),
        ] {
            #expect(policy != other)
        }
    }
}
