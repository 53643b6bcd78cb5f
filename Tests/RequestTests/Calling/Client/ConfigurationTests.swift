import Foundation
import LoopbackServer
import TangoCache
import TangoRequest
import Testing

@testable import TestSupport

@Suite(.timeLimit(.minutes(20))) struct ConfigurationTests {
    private struct Refused: Error {}

    @Test func aDerivedClientSharesTransportAndCache() async throws {
        let site = try Site()
        site.server.answer(with: .text("a").header("Cache-Control", "max-age=600"))
        let client = Client(baseURL: site.server.url, cache: MemoryStore()) {
            $0.headers = ["X-From": "client"]
        }
        let derived = client.with { $0.timeouts.idle = .seconds(1200) }
        #expect(derived.baseURL == client.baseURL)
        #expect(derived.configuration.transport as AnyObject === client.configuration.transport as AnyObject)
        #expect(derived.configuration.headers == client.configuration.headers)
        #expect(derived.configuration.timeouts.idle == .seconds(1200))
        #expect(client.configuration.timeouts == .default)
        #expect(try await Fetch<String>(.get("/a"), of: client).promise.value == "a")
        #expect(try await Fetch<String>(.get("/a"), of: derived).promise.value == "a")
        #expect(site.server.requests.count == 1)
    }

    @Test func shuttingDownADerivedClientDoesNotAffectTheOriginal() async throws {
        let site = try Site()
        site.server.answer(with: .text("a"))
        let client = site.client()
        let derived = client.with { $0.headers = ["X-From": "derived"] }
        await derived.shutdown()
        #expect(await refusal(of: Fetch<String>(.get("/a"), of: derived).promise)?.code == .shutDown)
        #expect(try await Fetch<String>(.get("/a"), of: client).promise.value == "a")
    }

    @Test func errorOfTheConfigurationClosureIsThrown() {
        #expect(throws: Refused.self) { try Client { _ in throw Refused() } }
        #expect(throws: Refused.self) { try Client().with { _ in throw Refused() } }
    }
}
