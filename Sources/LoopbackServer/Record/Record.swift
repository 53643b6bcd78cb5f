/// The requests, events and connections of a server, which tests read and wait for.
struct Record: Sendable {
    var requests: Recent<RecordedRequest>
    var events: Recent<LoopbackServer.Event>
    var connections = LoopbackServer.Connections()
    /// The number of requests before the one that `next()` returns next.
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

    /// Records the end of a connection. Later calls for the same connection do nothing.
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

    /// Returns the oldest request that `next()` has not returned, if any.
    mutating func take() -> RecordedRequest? {
        guard taken < requests.total, let request = requests.from(taken).first else { return nil }
        taken = max(taken, requests.first) + 1
        return request
    }

    /// Throws if the server has stopped, because a wait would never end.
    func checkRunning() throws {
        if hasStopped {
            throw LoopbackServer.Failure(
                message: "The server was stopped before this wait ended. Stop it after the last wait.", code: 0)
        }
    }
}
