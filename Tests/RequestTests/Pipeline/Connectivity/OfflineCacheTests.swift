import Foundation
import LoopbackServer
import TangoCache
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// The HTTP cache of a device without a network.
@Suite(.timeLimit(.minutes(20)))
struct OfflineCacheTests {
    private let site: RemoteSite

    init() throws {
        site = try RemoteSite()
    }

    private func client(_ change: (inout Client.Configuration) -> Void = { _ in }) -> Client {
        var configuration = Client.Configuration()
        site.configure(&configuration, change)
        return Client(baseURL: site.url, cache: MemoryStore(), configuration: configuration)
    }

    /// Stores a response, and lets it become stale.
    private func store(_ control: String, by client: Client) async throws {
        site.server.answer(
            "/page", with: Response.text("page").header("Cache-Control", control).header("ETag", "\"a\""))
        #expect(try await site.text(client, "/page").promise.value == "page")
        await client.finishStoring()
        site.clock.advance(by: .seconds(75))
    }

    private func fetch(_ client: Client, asking control: String? = nil) -> Call<String> {
        let request = site.text(client, "/page")
        if let control { request.fields = ["Cache-Control": control] }
        return request.start()
    }

    @Test(arguments: [true, false])
    func staleResponseIsServedWithoutARequest(waits: Bool) async throws {
        let client = client { if !waits { $0.waitsForConnectivity = nil } }
        try await store("max-age=60", by: client)
        site.server.stop()
        site.network.status = .unavailable
        let call = fetch(client)
        #expect(try await call.value == "page")
        #expect(site.sent == 1)
        #expect(call.response?.source == .cache(age: .seconds(75), isStale: true))
        #expect(
            call.explanation?.description
                == "served from the cache: the response is stale, and the server cannot be reached; 75 s old of 60 s")
    }

    @Test func staleResponseIsServedAfterAnOfflineAttempt() async throws {
        let client = client { $0.waitsForConnectivity = nil }
        try await store("max-age=60", by: client)
        site.fail(.offline)
        let call = fetch(client)
        #expect(try await call.value == "page")
        #expect(call.explanation?.reason == .offline)
        #expect(site.sent == 2)
    }

    @Test func freshResponseNeedsNoNetwork() async throws {
        let client = client()
        try await store("max-age=600", by: client)
        site.network.status = .unavailable
        let call = fetch(client)
        #expect(try await call.value == "page")
        #expect(call.explanation?.reason == .fresh)
    }

    @Test func staleResponseIsRevalidatedWithANetwork() async throws {
        let client = client()
        try await store("max-age=60", by: client)
        site.server.answer("/page", with: .status(304))
        let call = fetch(client)
        #expect(try await call.value == "page")
        #expect(call.response?.source == .validated)
        #expect(site.sent == 2)
    }

    /// No attempt refreshes the response in the background.
    @Test func nothingIsRefreshedWithoutANetwork() async throws {
        let client = client()
        try await store("max-age=60, stale-while-revalidate=600", by: client)
        site.network.status = .unavailable
        let call = fetch(client)
        #expect(try await call.value == "page")
        #expect(call.explanation?.outcome == .cached)
        await client.shutdown()
        #expect(site.sent == 1)
    }

    @Test func refreshInTheBackgroundDoesNotWait() async throws {
        let facts = Facts()
        let client = client {
            $0.observe { event in
                guard case .cache(.refreshed(_, .failure(let error))) = event.kind else { return }
                facts.note((error as? RequestError)?.code.rawValue ?? "\(error)")
            }
        }
        try await store("max-age=60, stale-while-revalidate=600", by: client)
        site.onSend { site.network.status = .unavailable }
        site.fail(.cannotConnect)
        #expect(try await fetch(client).value == "page")
        await facts.reached("offline")
        #expect(site.sent == 2)
        #expect(site.network.observerCount == 0)
    }

    private static let forbidding: [(response: String, request: String?)] = [
        ("max-age=60, no-cache", nil), ("max-age=60, must-revalidate", nil), ("max-age=60, proxy-revalidate", nil),
        ("max-age=60, s-maxage=60", nil), ("max-age=60", "no-cache"), ("max-age=60", "max-age=10"),
        ("max-age=60", "max-age=0"), ("max-age=60", "min-fresh=1"), ("max-age=60", "max-stale=10"),
    ]

    @Test(arguments: forbidding)
    func staleResponseThatIsForbiddenIsNotServed(response: String, request: String?) async throws {
        let client = client { $0.waitsForConnectivity = nil }
        try await store(response, by: client)
        site.network.status = .unavailable
        site.fail(.cannotConnect, .cannotConnect)
        #expect(await refusal(of: fetch(client, asking: request).promise)?.code == .offline)
    }

    private static let allowing: [(response: String, request: String?, CacheExplanation.Reason)] = [
        ("max-age=60", nil, .offline), ("max-age=60", "max-age=100", .offline),
        ("max-age=60", "max-stale", .staleAllowed),
        ("max-age=60", "max-stale=20", .staleAllowed), ("max-age=60, stale-if-error=20", nil, .staleIfError),
        ("max-age=60", "max-stale=10, stale-if-error=20", .staleIfError),
    ]

    @Test(arguments: allowing)
    func staleResponseThatIsAllowedIsServed(
        response: String, request: String?, _ reason: CacheExplanation.Reason
    ) async throws {
        let client = client()
        try await store(response, by: client)
        site.network.status = .unavailable
        let call = fetch(client, asking: request)
        #expect(try await call.value == "page")
        #expect(call.explanation?.reason == reason)
        #expect(site.sent == 1)
    }

    @Test func callWithoutACachedResponseWaits() async throws {
        site.network.status = .unavailable
        let call = site.text(client()).start()
        await call.waitsForNetwork()
        site.network.status = .available
        #expect(try await call.value == "a")
    }

    @Test func policyWithoutStaleResponsesWaits() async throws {
        let client = client { $0.cachePolicy = .http(servesStaleOffline: false) }
        try await store("max-age=60", by: client)
        site.network.status = .unavailable
        let call = fetch(client)
        await call.waitsForNetwork()
        site.network.status = .available
        #expect(try await call.value == "page")
        #expect(site.sent == 2)
    }
}
