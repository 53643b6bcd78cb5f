extension LoopbackServer {
    // MARK: Requests

    /// The requests so far, in the order in which they had been read.
    public var requests: [RecordedRequest] { core.record.read { $0.requests.all } }

    /// How many requests there were, remembered or not.
    public var requestCount: Int { core.record.read { $0.requests.total } }

    /// The next request that this did not return yet, or the one that comes.
    ///
    /// Throws ``Failure`` if the server stops, and `CancellationError` if the task is cancelled.
    public func next() async throws -> RecordedRequest {
        try await core.record.wait { record in
            if let request = record.take() { return request }
            try record.checkRunning()
            return nil
        }
    }

    /// All requests, once there are so many.
    ///
    /// Throws ``Failure`` if the server stops, and `CancellationError` if the task is cancelled.
    public func requests(count: Int) async throws -> [RecordedRequest] {
        try await core.record.wait { record in
            if record.requests.total >= count { return record.requests.all }
            try record.checkRunning()
            return nil
        }
    }

    // MARK: Events

    /// What happened so far.
    public var events: [Event] { core.record.read { $0.events.all } }

    /// Waits for an event, unless it has happened already.
    ///
    /// Throws ``Failure`` if the server stops, and `CancellationError` if the task is cancelled.
    public func happened(_ event: Event) async throws {
        _ = try await happened { $0 == event }
    }

    /// The first event that a condition holds for, of those that are remembered and those to come.
    ///
    /// Throws ``Failure`` if the server stops, and `CancellationError` if the task is cancelled.
    @discardableResult
    public func happened(_ condition: @escaping @Sendable (Event) -> Bool) async throws -> Event {
        let seen = Seen()
        return try await core.record.wait { record in
            let events = record.events.from(seen.count)
            if let event = events.first(where: condition) { return event }
            seen.count = record.events.total
            try record.checkRunning()
            return nil
        }
    }

    // MARK: Connections

    /// How many connections were accepted, how many are open, and what became of each.
    public var connections: Connections { core.record.read { $0.connections } }

    /// Waits until a connection has ended, and says how.
    ///
    /// Throws ``Failure`` if the server stops, and `CancellationError` if the task is cancelled.
    @discardableResult
    public func connectionEnded(_ number: Int) async throws -> ConnectionState {
        try await core.record.wait { record in
            if number < record.connections.accepted, record.connections[number] != .open {
                return record.connections[number]
            }
            try record.checkRunning()
            return nil
        }
    }

    /// Waits until so many connections are open.
    ///
    /// Throws ``Failure`` if the server stops, and `CancellationError` if the task is cancelled.
    public func connections(open count: Int) async throws {
        try await core.record.wait { record in
            if record.connections.open == count { return () }
            try record.checkRunning()
            return nil
        }
    }
}

/// How many events a wait has looked at. It is touched under the lock of the record only.
private final class Seen: @unchecked Sendable {
    var count = 0
}
