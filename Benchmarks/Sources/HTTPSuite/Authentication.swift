import Foundation
import Harness
import LoopbackServer
import Synchronization
import TangoAuth
import TangoRequest

/// A server without a network, which accepts one token.
private struct GuardedTransport: Transport {
    let capabilities: TransportCapabilities = []

    func start(
        _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
    ) -> TransportTask {
        let isAccepted = request.headers["Authorization"] == "Bearer new" || request.url.path == "/open"
        completion { HTTPResponse(status: isAccepted ? 200 : 401, request: request) }
        return .completed
    }

    func shutdown() async {}
}

private struct NewToken: TokenSource {
    func token(replacing old: Token?, context: AuthenticationContext) async throws -> Token {
        // Long enough for all calls to be rejected before there is a new token.
        try await context.client.configuration.clock.sleep(for: .milliseconds(1))
        return Token("new")
    }
}

private final class Get: Request<Data> {
    private let api: Client
    private let path: String
    init(_ api: Client, _ path: String) {
        self.api = api
        self.path = path
    }
    override var client: Client { api }
    override var endpoint: Endpoint { .get(path) }
}

/// Starts calls at once, and returns the nanoseconds until the last has ended.
private func time(of count: Int, _ path: String, _ client: Client) async throws -> Double {
    try await nanoseconds(for: 1) {
        let calls = (0..<count).map { _ in Get(client, path).start() }
        for call in calls { _ = try await call.value }
    }
}

/// Calls that are rejected at once and sent again with one new token, compared with as many exchanges that are not.
func rejections(count: Int) -> Group {
    let server = Kept {
        let server = try LoopbackServer()
        server.answer { request in
            let isAccepted = request.path == "/open" || request.headers["Authorization"] == "Bearer new"
            return .status(isAccepted ? 200 : 401)
        }
        return server
    }
    @Sendable func client(_ url: URL?, _ transport: (any Transport)?) async throws -> Client {
        let authenticator = TokenAuthenticator(NewToken())
        try await authenticator.update(Token("old"))
        return Client(baseURL: url) {
            if let transport { $0.transport = transport }
            $0.authenticator = authenticator
        }
    }
    @Sendable func ratio(_ url: URL?, _ transport: (any Transport)?) async throws -> Double {
        var ratios: [Double] = []
        for _ in 0..<11 {
            let plain = try await time(of: 2 * count, "/open", client(url, transport))
            ratios.append(try await time(of: count, "/private", client(url, transport)) / plain)
        }
        return ratios.sorted()[5]
    }
    return Group(
        "HTTP, rejected credentials",
        [
            .number("HTTP, \(count) calls rejected at once: time in terms of \(2 * count) plain calls", must: 1.5) {
                try await ratio(server.value.url, nil)
            },
            .number("HTTP, the same without a network", isComparison: true) {
                try await ratio(URL(string: "http://localhost/"), GuardedTransport())
            },
        ])
}
