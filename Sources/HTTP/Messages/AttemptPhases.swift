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
    /// An exchange that failed has no phases after the one in which it failed.
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
        let rest = phase(to: metrics.finished ?? end)
        // Without a first byte, the exchange has ended in an earlier phase: in the one after the last known point. Of a response
        // that was not read to its end, no point may be known.
        if metrics.firstByte != nil || metrics.finished == nil {
            receive = rest
        } else if metrics.requestStarted != nil {
            wait = rest
        } else if metrics.secured != nil {
            prepare = rest
        } else if metrics.connected != nil {
            secure = rest
        } else if metrics.resolved != nil {
            connect = rest
        } else {
            wait = rest
        }
    }
}

extension AttemptMetrics {
    /// The phases between the points in time of this exchange.
    public var phases: AttemptPhases { AttemptPhases(self) }
}

extension AttemptPhases: CustomStringConvertible {
    /// The phases that are known, such as `connect 1 ms, wait 12.5 ms, receive 0.2 ms`.
    public var description: String {
        let phases = [
            ("queue", queue), ("resolve", resolve), ("connect", connect), ("secure", secure), ("prepare", prepare),
            ("wait", wait), ("receive", receive),
        ]
        let texts = phases.compactMap { name, time in time.map { "\(name) \($0.text)" } }
        return texts.isEmpty ? "no phases" : texts.joined(separator: ", ")
    }
}

extension AttemptMetrics: CustomStringConvertible {
    /// The phases, the sizes of the bodies, and the use of the connection.
    public var description: String {
        var text = "\(phases); \(bodyBytesSent) bytes sent, \(bodyBytesReceived) bytes received"
        if let reusedConnection { text += reusedConnection ? ", on an open connection" : ", on a new connection" }
        return text
    }
}
