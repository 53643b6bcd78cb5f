extension HAREntry.Timings {
    /// Creates the phases of an exchange. The measurements are points in time, and the phases the time between them.
    ///
    /// A point that is unknown, or earlier than the one before, adds no time to its phase.
    package init(_ metrics: AttemptMetrics, elapsed: Duration) {
        self.init()
        var place = Duration.zero
        func phase(to point: Duration?) -> Double? {
            guard let point else { return nil }
            defer { place = max(place, point) }
            return max(point - place, .zero).milliseconds
        }
        if let queued = metrics.queued { blocked = queued.milliseconds }
        if let time = phase(to: metrics.resolved) { dns = time }
        if let time = phase(to: metrics.connected) { connect = time }
        if let time = phase(to: metrics.secured) {
            ssl = time
            // In the format, the time of the handshake is part of the time to connect.
            connect = max(connect, 0) + time
        }
        send = phase(to: metrics.requestStarted) ?? 0
        wait = phase(to: metrics.firstByte) ?? 0
        receive = phase(to: metrics.finished ?? elapsed) ?? 0
    }

    /// The sum of the phases: that of `ssl` is part of `connect`.
    package var sum: Double {
        [blocked, dns, connect, send, wait, receive].map { max($0, 0) }.reduce(0, +)
    }
}

extension Duration {
    /// The milliseconds, with three digits after the point.
    fileprivate var milliseconds: Double { (self / .microseconds(1)).rounded() / 1_000 }
}
