/// What has happened at a server, for tests to read and to wait for.
struct Record: Sendable {
    var requests: Recent<RecordedRequest>
    var events: Recent<LoopbackServer.Event>
    var connections = LoopbackServer.Connections()
    /// How many requests `next()` has given out.
    var taken = 0
    var hasStopped = false

    init(limit: Int) {
        requests = Recent(limit: limit)
        events = Recent(limit: limit)
    }

    mutating func accepted() {
        events.append(.accepted(connection: connections.accepted))
        connections.states.append(.open)
        connections.open += 1
    }

    /// Notes the end of a connection. The first end counts.
    mutating func ended(_ number: Int, _ state: LoopbackServer.ConnectionState) {
        guard connections.states[number] == .open else { return }
        connections.states[number] = state
        connections.open -= 1
        switch state {
        case .open: break
        case .closedByClient: events.append(.closed(connection: number, by: .client))
        case .closedByServer: events.append(.closed(connection: number, by: .server))
        case .resetByClient: events.append(.reset(connection: number, by: .client))
        case .resetByServer: events.append(.reset(connection: number, by: .server))
        }
    }

    /// The oldest request that was not given out yet.
    mutating func take() -> RecordedRequest? {
        guard taken < requests.total, let request = requests.from(taken).first else { return nil }
        taken = max(taken, requests.first) + 1
        return request
    }

    /// What a wait throws that can have no end any more.
    func checkRunning() throws {
        if hasStopped {
            throw LoopbackServer.Failure(message: "The server was stopped while it was waited for.", code: 0)
        }
    }
}
