import CMeasure
import Foundation
import Harness
import TangoAuth
import TangoRequest

/// A transport that has each response at once, so that only the path of a call is measured.
private struct ImmediateTransport: Transport {
    let capabilities: TransportCapabilities = []

    func start(
        _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
    ) -> TransportTask {
        completion { HTTPResponse(status: 200, request: request) }
        return .completed
    }

    func shutdown() async {}
}

private struct FixedToken: TokenSource {
    func token(replacing old: Token?, context: AuthenticationContext) async throws -> Token { Token("a") }
}

private final class Get: Request<Data> {
    private let api: Client
    init(_ api: Client) { self.api = api }
    override var client: Client { api }
    override var endpoint: Endpoint { .get("/small") }
}

private func makeClient(_ change: (inout Client.Configuration) -> Void) -> Client {
    Client(baseURL: URL(string: "http://localhost/")) {
        $0.transport = ImmediateTransport()
        change(&$0)
    }
}

/// Sends requests, a hundred at once.
private func send(_ count: Int, _ client: Client) async throws {
    for _ in 0..<count / 100 {
        let calls = (0..<100).map { _ in Get(client).start() }
        for call in calls { _ = try await call.value }
    }
}

/// The cost of stages that have nothing to do, and of cancelling calls that wait.
func stages(count: Int, queued: Int) -> Group {
    let plain = makeClient {
        $0.retryPolicy = .never
        $0.redirectPolicy = .refuse
    }
    let usual = makeClient { _ in }
    let limited = makeClient { $0.limiter = Limiter(total: 1_000, perHost: 1_000) }
    let signedIn = makeClient { $0.authenticator = TokenAuthenticator(FixedToken()) }

    @Sendable func nanoseconds(of client: Client) async throws -> Double {
        try await processorNanoseconds(for: count) { try await send(count, client) }
    }
    /// The median difference of two clients, measured in many short turns, because the speed of the machine varies.
    @Sendable func added(by client: Client, to base: Client) async throws -> Double {
        var differences: [Double] = []
        for number in 0..<101 {
            let clients = number % 2 == 0 ? (base, client) : (client, base)
            let times = (try await nanoseconds(of: clients.0), try await nanoseconds(of: clients.1))
            differences.append(number % 2 == 0 ? times.1 - times.0 : times.0 - times.1)
        }
        return differences.sorted()[50]
    }
    @Sendable func allocations(of client: Client) async throws -> Double {
        let before = measure_allocations().allocations
        try await send(count, client)
        return Double(measure_allocations().allocations - before) / Double(count)
    }
    return Group(
        "HTTP, stages that have nothing to do",
        [
            .number("HTTP, a call whose response is there at once: ns of the processor", isComparison: true) {
                try await nanoseconds(of: usual)
            },
            .number("HTTP, retries and redirects add: ns of the processor", must: 150) {
                try await added(by: usual, to: plain)
            },
            .number("HTTP, retries and redirects add: allocations", must: 0) {
                try await (allocations(of: usual) - allocations(of: plain)).rounded()
            },
            .number("HTTP, a limiter adds: ns of the processor", must: 150) {
                try await added(by: limited, to: usual)
            },
            .number("HTTP, a limiter adds: allocations", must: 0) {
                try await (allocations(of: limited) - allocations(of: usual)).rounded()
            },
            .number("HTTP, an authenticator with a token adds: ns of the processor", must: 2_000) {
                try await added(by: signedIn, to: usual)
            },
            .number("HTTP, \(queued) calls that wait for a limiter: µs to cancel each", must: 1) {
                try await cancelling(queued)
            },
        ])
}

/// Returns the nanoseconds to cancel each call.
private func time(of calls: [Call<Data>]) -> Double {
    nanoseconds(for: calls.count) { for call in calls { call.cancel() } }
}

private func cancelling(_ count: Int) async throws -> Double {
    let limiter = Limiter()
    limiter.suspend()
    let client = makeClient { $0.limiter = limiter }
    let calls = (0..<count).map { _ in Get(client).start() }.shuffled()
    while limiter.waiting < count { await Task.yield() }
    let time = time(of: calls)
    while limiter.waiting > 0 { await Task.yield() }
    return time / 1000
}
