extension LoopbackServer {
    // MARK: Requests

    /// The recorded requests, in the order in which they were read.
    public var requests: [RecordedRequest] { core.record.read { $0.requests.all } }

    /// The number of requests so far, recorded or not.
    public var requestCount: Int { core.record.read { $0.requests.total } }

    /// Returns the oldest request that this method has not returned yet. Waits for one if necessary.
    public func next() async throws -> RecordedRequest {
        try await wait { $0.take() }
    }

    /// Returns all recorded requests once the server has received at least `count`.
    public func requests(count: Int) async throws -> [RecordedRequest] {
        try await wait { $0.requests.total >= count ? $0.requests.all : nil }
    }

    // MARK: Events

    /// The recorded events.
    public var events: [Event] { core.record.read { $0.events.all } }

    /// Waits for an event. Returns at once if it is already recorded.
    public func happened(_ event: Event) async throws {
        _ = try await happened { $0 == event }
    }

    /// Returns the first event for which a condition holds, among recorded and later ones.
    @discardableResult
    public func happened(_ condition: @escaping @Sendable (Event) -> Bool) async throws -> Event {
        let seen = Seen()
        return try await wait { record in
            defer { seen.count = record.events.total }
            return record.events.from(seen.count).first(where: condition)
        }
    }

    // MARK: Connections

    /// The states of all connections so far, and the number of open ones.
    public var connections: Connections { core.record.read { $0.connections } }

    /// Waits until a connection has ended, and returns its state.
    @discardableResult
    public func connectionEnded(_ number: Int) async throws -> ConnectionState {
        try await wait { record in
            guard number < record.connections.accepted, record.connections[number] != .open else { return nil }
            return record.connections[number]
        }
    }

    /// Waits until exactly `count` connections are open.
    public func connections(open count: Int) async throws {
        try await wait { $0.connections.open == count ? () : nil }
    }

    /// Waits for a value of the record.
    private func wait<Value: Sendable>(
        _ value: @escaping @Sendable (inout Record) -> Value?
    ) async throws -> Value {
        try await core.record.wait { record in
            if let value = value(&record) { return value }
            try record.checkRunning()
            return nil
        }
    }
}

/// The number of events that a wait has checked. It is used only under the lock of the record.
private final class Seen: @unchecked Sendable {
    var count = 0
}
