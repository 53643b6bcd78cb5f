import Foundation
import LoopbackServer
import Synchronization
import Tango

@testable import Proxy

/// The server behind the service, and a client in front of it.
final class Upstream: Sendable {
    let server: LoopbackServer
    private let load = Mutex((running: 0, most: 0))

    init() throws {
        server = try LoopbackServer()
    }

    /// The most requests that the server has processed at once.
    var mostAtOnce: Int { load.withLock(\.most) }

    /// Responds to paths after a moment, and counts the requests that it processes.
    func respond(
        to path: String, after delay: Duration, with response: @escaping @Sendable (RecordedRequest) -> Response
    ) {
        server.answer(path) { [weak self] request in
            self?.load.withLock { load in
                load.running += 1
                load.most = max(load.most, load.running)
            }
            try await Task.sleep(for: delay)
            self?.load.withLock { $0.running -= 1 }
            return response(request)
        }
    }

    func gateway(_ change: (inout Gateway.Settings) -> Void = { _ in }) throws -> Gateway {
        var settings = Gateway.Settings()
        change(&settings)
        return try Gateway(upstream: server.url, settings: settings)
    }
}

/// A client of the service that adds nothing, and takes every response.
struct Visitor: Sendable {
    let gateway: Gateway
    private let client = Client {
        ($0.retryPolicy, $0.redirectPolicy, $0.timeouts.total) = (.never, .refuse, .seconds(60))
    }

    init(_ gateway: Gateway) { self.gateway = gateway }

    func get(_ path: String, headers: Headers = [:]) async throws -> HTTPResponse {
        try await send(.get, path, headers: headers)
    }

    func send(
        _ method: HTTPMethod, _ path: String, headers: Headers = [:], body: Body = .none
    ) async throws -> HTTPResponse {
        let url = gateway.url.absoluteString + path
        guard let url = URL(string: url) else { throw URLError(.badURL) }
        return try await client.send(HTTPRequest(method: method, url: url, headers: headers, body: body))
    }
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}
