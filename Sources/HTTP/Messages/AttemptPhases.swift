/// The phases of an exchange, as durations. A phase is nil if it did not happen, or if the transport does not know it.
public struct AttemptPhases: Hashable, Sendable {
    /// The wait for a slot of the `Limiter`.
    public var queue: Duration?
    /// Looking up the name of the host.
    public var resolve: Duration?
    /// Connecting, without the TLS handshake.
    public var connect: Duration?
    /// The TLS handshake.
    public var secure: Duration?
    /// The time until sending began, on a connection that is there.
    public var prepare: Duration?
    /// Sending, and waiting for the first byte of the response.
    public var wait: Duration?
    /// Receiving the response, from its first byte to the last.
    public var receive: Duration?

    /// Creates phases of which none is known.
    public init() {}

    /// Creates the phases between the points in time of an exchange.
    ///
    /// A point that is earlier than the one before ends a phase of no time, so no phase is negative. Libraries report such
    /// points for connections that they reuse.
    ///
    /// - Parameter end: The end of the exchange, if ``AttemptMetrics/finished`` is nil.
    package init(_ metrics: AttemptMetrics, end: Duration? = nil) {
        var place = Duration.zero
        func phase(to point: Duration?) -> Duration? {
            guard let point else { return nil }
            defer { place = max(place, point) }
            return max(point - place, .zero)
        }
        queue = metrics.queued
        resolve = phase(to: metrics.resolved)
        connect = phase(to: metrics.connected)
        secure = phase(to: metrics.secured)
        prepare = phase(to: metrics.requestStarted)
        wait = phase(to: metrics.firstByte)
        receive = phase(to: metrics.finished ?? end)
    }
}

extension AttemptMetrics {
    /// The phases between the points in time of this exchange.
    public var phases: AttemptPhases { AttemptPhases(self) }
}
