import Foundation
import LoopbackServer
import Tango

/// A request of a client, as it is sent to the server behind the service.
final class Forwarded: Request<HTTPResponse> {
    private let upstream: Client, message: Endpoint, total: Duration

    init(_ request: RecordedRequest, within total: Duration, by upstream: Client) {
        var headers = Headers(request.headers.map { ($0.name, $0.value) }).withoutConnection()
        for name in ["Host", "Content-Length", "Expect", "traceparent", Incoming.timeoutHeader] { headers.remove(name) }
        message = Endpoint(
            method: HTTPMethod(request.method), path: request.target, headers: headers,
            body: request.bodyCount > 0 ? .data(request.body) : .none)
        (self.upstream, self.total) = (upstream, total)
    }

    override var client: Client { upstream }
    override var endpoint: Endpoint { message }
    override var timeouts: Timeouts {
        var timeouts = super.timeouts
        timeouts.total = total
        return timeouts
    }
}

extension Response {
    /// Passes on a response of the server.
    init(_ response: HTTPResponse, to method: String) {
        var headers = response.headers.withoutConnection()
        // A body has its length anyway. A response without one tells it by this field.
        if method != "HEAD" && response.status != .notModified { headers.remove("Content-Length") }
        switch response.source {
        case .network: headers["X-Cache"] = "miss"
        case .validated: headers["X-Cache"] = "revalidated"
        case .cache:
            headers["X-Cache"] = "hit"
            // The cookie was for the first client.
            headers.remove("Set-Cookie")
        }
        self.init(
            status: response.status.rawValue, reason: response.reason,
            headers: HeaderLines(headers.map { HeaderLines.Line($0.name, $0.value) }),
            body: .bytes(Array(response.body)))
    }

    /// The response to a request that no server has answered.
    init(_ error: any Error) {
        let (status, retryAfter): (HTTPStatus, Int?) =
            switch error {
            case RequestError.Code.queueFull: (.serviceUnavailable, 1)
            case RequestError.Code.shutDown: (.serviceUnavailable, 5)
            case RequestError.Code.totalTimedOut, RequestError.Code.idleTimedOut: (.gatewayTimeout, nil)
            default: (.badGateway, nil)
            }
        let code = error.asRequestError.map { "\($0.code)" } ?? "failed"
        self = .json(#"{"error": "\#(code)"}"#, status: status.rawValue)
        if let retryAfter { self = header("Retry-After", "\(retryAfter)") }
    }
}

extension Headers {
    /// The fields without those that concern one connection only (RFC 9110, 7.6.1).
    func withoutConnection() -> Headers {
        let named = all("Connection").flatMap { $0.split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
        let fixed = [
            "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        ]
        return Headers(filter { !(named + fixed).contains($0.name.lowercased()) })
    }
}
