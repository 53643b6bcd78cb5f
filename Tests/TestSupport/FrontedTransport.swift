import Foundation
import TangoRequest

/// A transport that reaches a `LoopbackServer` over TLS, through an nginx before it. Tests need not know about it:
/// requests, responses and errors name the server itself.
struct FrontedTransport: Transport {
    let transport: any Transport
    let nginx: NginxServer
    let site: NginxServer.Site
    /// The port of the server behind nginx.
    let port: Int

    var capabilities: TransportCapabilities { transport.capabilities }

    func start(
        _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
    ) -> TransportTask {
        guard request.url.port == port, request.url.scheme == "http", let url = rewritten(request.url) else {
            return transport.start(request, options: options, completion: completion)
        }
        var (fronted, options) = (request, options)
        fronted.url = url
        // In HTTP/2, nginx takes the port of the server behind it from this field.
        if site == .tunnel, !fronted.headers.contains("Host"), let host = request.url.host {
            fronted.headers.append(name: "Host", value: "\(host):\(port)")
        }
        options.trust = options.trust + nginx.trust
        // Starts on the thread of the caller to preserve the order of requests.
        return transport.start(fronted, options: options) { outcome in
            completion { try Self.unfronted(outcome, to: request) }
        }
    }

    private static func unfronted(
        _ outcome: () throws -> HTTPResponse, to request: HTTPRequest
    ) throws -> HTTPResponse {
        do {
            var response = try outcome()
            response.request = request
            if response.isStreaming { response.stream = BodyStream(FrontedBody(response.stream, of: request)) }
            return response
        } catch var error as RequestError {
            error.request = request
            error.response?.request = request
            throw error
        }
    }

    func shutdown() async { await transport.shutdown() }

    private func rewritten(_ url: URL) -> URL? {
        let text = url.absoluteString
        guard let end = text.range(of: ":\(port)") else { return nil }
        return URL(string: "https://p\(port).up.localhost:\(nginx.port(site))\(text[end.upperBound...])")
    }
}

/// A body whose errors name the request of the test. It has one reader, like every body.
private final class FrontedBody: BodySource, @unchecked Sendable {
    private let stream: BodyStream
    private var iterator: BodyStream.Iterator
    private let request: HTTPRequest

    init(_ stream: BodyStream, of request: HTTPRequest) {
        self.stream = stream
        iterator = stream.makeAsyncIterator()
        self.request = request
    }

    func next() async throws -> Data? {
        do {
            return try await iterator.next()
        } catch var error as RequestError {
            error.request = request
            throw error
        }
    }

    func cancel() { stream.cancel() }

    var ending: BodyStream.Ending? { stream.ending }
}
