extension HAREntry.Timings {
    /// Creates the phases of an exchange: see `AttemptPhases`.
    package init(_ metrics: AttemptMetrics, elapsed: Duration) {
        self.init()
        let phases = AttemptPhases(metrics, end: elapsed)
        func set(_ field: WritableKeyPath<Self, Double>, _ phase: Duration?) {
            if let phase { self[keyPath: field] = phase.milliseconds }
        }
        set(\.blocked, phases.queue)
        set(\.dns, phases.resolve)
        set(\.connect, phases.connect)
        set(\.ssl, phases.secure)
        // In the format, the time of the handshake is part of the time to connect.
        if let secure = phases.secure { connect = max(connect, 0) + secure.milliseconds }
        set(\.send, phases.prepare)
        set(\.wait, phases.wait)
        set(\.receive, phases.receive)
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
