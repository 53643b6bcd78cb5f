/// Adds the header `traceparent` to requests, so that the spans of servers belong to the trace of the application.
///
/// ```swift
/// let traced = Client(baseURL: url) {
///     $0.attemptInterceptors = [TraceInterceptor { Tracing.current }]
/// }
/// ```
///
/// As an attempt interceptor, it gives each attempt a span of its own, so that retries and redirects can be told apart. A
/// header that the request already has is sent unchanged.
///
/// The number of a trace says nothing about the user, but it links requests. So the header is sent to the origins that the
/// client trusts, and to others only if you ask for it.
public struct TraceInterceptor: Interceptor {
    private let current: @Sendable () -> TraceContext?
    private let tracesOthers: Bool

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - tracesOthers: A Boolean value that indicates whether requests to origins that the client does not trust have the
    ///     header too.
    ///   - current: Returns the span that requests belong to; nil if there is none. It runs in the task of the call.
    public init(tracesOthers: Bool = false, current: @escaping @Sendable () -> TraceContext?) {
        self.tracesOthers = tracesOthers
        self.current = current
    }

    public func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        guard request.headers["traceparent"] == nil, tracesOthers || context.allowsCredentials(for: request.url),
            let span = current()?.child()
        else { return try await next(request) }
        var request = request
        request.headers["traceparent"] = span.traceparent
        return try await next(request)
    }
}
