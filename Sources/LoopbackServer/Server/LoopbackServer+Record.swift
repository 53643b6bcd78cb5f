extension LoopbackServer {
    // MARK: Requests

    /// The recorded requests, in the order in which they were read.
    public var requests: [RecordedRequest] { core.record.read { $0.requests.all } }

    /// The number of requests so far, recorded or not.
    public var requestCount: Int { core.record.read { $0.requests.total } }

    /// Returns the oldest request that this method has not returned yet. Waits for one if necessary.
    ///
    /// Throws ``Failure`` if the server stops, and `CancellationError` if the task is cancelled.
    public func next() async throws -> RecordedRequest {
        try await core.record.wait { record in
            if let request = record.take() { return request }
            try record.checkRunning()
            return nil
        }
    }

    /// Returns all recorded requests once the server has received at least `count`.
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

    /// The recorded events.
    public var events: [Event] { core.record.read { $0.events.all } }

    /// Waits for an event. Returns at once if it is already recorded.
    ///
    /// Throws ``Failure`` if the server stops, and `CancellationError` if the task is cancelled.
    public func happened(_ event: Event) async throws {
        _ = try await happened { $0 == event }
    }

    /// Returns the first event for which a condition holds, among recorded and later ones.
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

    /// The states of all connections so far, and the number of open ones.
    public var connections: Connections { core.record.read { $0.connections } }

    /// Waits until a connection has ended, and returns its state.
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

    /// Waits until exactly `count` connections are open.
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

/// The number of events that a wait has checked. It is used only under the lock of the record.
private final class Seen: @unchecked Sendable {
    var count = 0
}
