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

/// The newest elements of a sequence. Each has its number in the whole sequence.
struct Recent<Element: Sendable>: Sendable {
    private var elements: [Element] = []
    /// The number of elements before the first of `elements`.
    private var dropped = 0
    private let limit: Int

    /// The number of elements to store: at least 64, because waits must see elements that are not recorded.
    private var kept: Int { max(64, limit) }

    init(limit: Int) {
        self.limit = limit
    }

    var total: Int { dropped + elements.count }

    var all: [Element] { limit < elements.count ? Array(elements.suffix(limit)) : elements }

    mutating func append(_ element: Element) {
        elements.append(element)
        // The array grows to twice the number, so that removals from its front are rare.
        guard limit < .max / 2, elements.count >= kept * 2 else { return }
        let excess = elements.count - kept
        elements.removeFirst(excess)
        dropped += excess
    }

    func from(_ number: Int) -> ArraySlice<Element> {
        elements[min(elements.count, max(0, number - dropped))...]
    }

    /// The number of the first stored element.
    var first: Int { dropped }
}
