import Foundation
import LoopbackServer
import Tango

/// Chapter two: cached responses, and calls that share a response.
func responses() async throws {
    let server = try LoopbackServer()
    let client = Client(baseURL: server.url, cache: MemoryStore())
    try await byTheServer(server, client)
    try await cachedThenFresh(server, client)
    try await offline(server, client)
    try await shared(server, client)
    await client.shutdown()
    server.stop()
}

private struct Weather: Codable, Sendable {
    let degrees: Int
}

private final class GetWeather: Request<Weather> {
    private let owner: Client
    private let place: String
    private let policy: CachePolicy?

    init(_ owner: Client, _ place: String, _ policy: CachePolicy? = nil) {
        self.owner = owner
        self.place = place
        self.policy = policy
    }

    override var client: Client { owner }
    override var endpoint: Endpoint { .get("/weather/\(place)") }
    override var cachePolicy: CachePolicy { policy ?? super.cachePolicy }
    override var uniqueness: Uniqueness { .join }
}

private func weather(_ degrees: Int) -> Response { .json(#"{"degrees": \#(degrees)}"#) }

private func byTheServer(_ server: LoopbackServer, _ client: Client) async throws {
    section("A client with a store caches responses as servers allow, and a call explains where its response came from")
    server.answer("/weather/london") { request in
        let isKnown = request.headers["If-None-Match"] == "\"a\""
        return (isKnown ? .status(304) : weather(12)).header("ETag", "\"a\"").header("Cache-Control", "no-cache")
    }
    server.answer("/weather/paris", with: weather(15).header("Cache-Control", "max-age=600"))
    for place in ["paris", "paris", "london", "london"] {
        let call = GetWeather(client, place).start()
        let degrees = try await call.value.degrees
        show("\(place): \(degrees) degrees, \(call.explanation.map { "\($0)" } ?? "no cache")")
    }
}

private func cachedThenFresh(_ server: LoopbackServer, _ client: Client) async throws {
    section("A screen shows the cached response first, and then the new one")
    server.answer("/weather/rome", with: weather(20))
    let request = GetWeather(client, "rome", .cacheThenNetwork)
    for temperature in [20, 20, 23] {
        server.answer("/weather/rome", with: weather(temperature))
        var shown: [String] = []
        for try await weather in request.values { shown.append("\(weather.degrees)") }
        show("the server says \(temperature), the screen showed \(shown.joined(separator: ", then "))")
    }
}

private func offline(_ server: LoopbackServer, _ client: Client) async throws {
    section("If the server fails, the call returns the cached response, marked as stale")
    server.answer("/weather/oslo", with: weather(-3))
    _ = try await GetWeather(client, "oslo", .networkElseCache).promise.value
    server.answer("/weather/oslo", with: weather(-4).status(503))
    let call = GetWeather(client, "oslo", .networkElseCache).start()
    let degrees = try await call.value.degrees
    if case .cache(_, let isStale)? = call.response?.source {
        show("\(degrees) degrees, from the cache, \(isStale ? "stale" : "fresh")")
    }
}

private func shared(_ server: LoopbackServer, _ client: Client) async throws {
    section("A thousand calls of the same request share one transfer and one decoded value")
    let gate = Gate()
    server.answer("/weather/bern", with: weather(9).held(by: gate))
    let before = server.requestCount
    let promises = (0..<1_000).map { _ in GetWeather(client, "bern", .networkOnly).promise }
    gate.open()
    let sum = try await Promise.all(promises).value.map(\.degrees).reduce(0, +)
    show("\(promises.count) promises, \(server.requestCount - before) request, \(sum / promises.count) degrees each")
}
