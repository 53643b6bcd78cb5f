import Foundation
import LoopbackServer
import Tango
import TangoMeasuring

/// A request that the service is processing: its trace, and the time by which its client wants a response.
struct Incoming: Sendable {
    /// The header with the milliseconds that a client waits. The service sends it on, with what is left.
    static let timeoutHeader = "X-Timeout-Ms"

    /// The request whose task this is. The interceptors of outgoing calls read it.
    @TaskLocal static var current: Incoming?

    let trace: TraceContext
    let timeout: Duration
    private let arrival = ContinuousClock.now

    /// - Parameter longest: The timeout of requests that have none, and of those that have a longer one.
    init(_ request: RecordedRequest, longest: Duration) {
        trace = request.headers["traceparent"].flatMap(TraceContext.init(traceparent:)) ?? TraceContext()
        let milliseconds = request.headers[Self.timeoutHeader].flatMap { Int64($0) }.map { max($0, 1) }
        timeout = min(milliseconds.map { .milliseconds($0) } ?? longest, longest)
    }

    var remaining: Duration { timeout - (.now - arrival) }
}

/// Tells each server how long its response is awaited.
struct DeadlineInterceptor: Interceptor {
    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        guard let incoming = Incoming.current else { return try await next(request) }
        var request = request
        request.headers[Incoming.timeoutHeader] = "\(max(1, Int64(incoming.remaining / .milliseconds(1))))"
        return try await next(request)
    }
}
