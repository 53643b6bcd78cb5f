/// The server-sent events of a `text/event-stream` while they arrive: an output for ``Request``.
///
/// ```swift
/// final class GetUpdates: Request<EventStream<Update>> {
///     override var endpoint: Endpoint { .get("/updates") }
/// }
/// ```
/// ```swift
/// for try await update in try await GetUpdates().promise.value {
///     show(update)
/// }
/// ```
///
/// The data of each event is decoded as JSON with the decoder of the client. `EventStream<String>` delivers the data as
/// text, and `EventStream<ServerSentEvent>` the whole event with its type and identifier.
///
/// **Reconnecting.** If the connection is lost or the server closes it, the stream sends the request again with the
/// `Last-Event-ID`, after the wait that the server has named. The request passes the whole pipeline: retries, tokens, cookies
/// and interceptors. All connections belong to one call. Each is one of its ``AnyCall/attempts``, of which the first and the
/// newest are in the log. The `total` time of its timeouts includes them all. While the stream waits, the state of the call is
/// ``CallState/retrying(attempt:after:)``.
///
/// The stream ends when the server responds with the status 204, and with an error for any other status or content type that is
/// not accepted. Statuses that may be temporary, such as 503, count as a lost connection. ``EventStreamPolicy`` has the
/// rules.
///
/// See ``StreamedOutput`` for the rules of all streams.
public struct EventStream<Event: Decodable & Sendable>: StreamedOutput {
    public let response: HTTPResponse
    private let stream: BodyStream
    private let policy: EventStreamPolicy
    private let json: JSONCoding
    private let connection = EventConnection()

    /// Creates the events of a response. For a raw message, send it with ``TransportOptions/Delivery/stream``. The events of
    /// a raw message end with its connection.
    public init(_ response: HTTPResponse, policy: EventStreamPolicy = EventStreamPolicy(), json: JSONCoding = .default)
    {
        self.response = response.head
        self.policy = policy
        self.json = json
        stream = response.stream
    }

    public static var serializer: Serializer<EventStream> { .events() }

    /// The current state of the connection, and each state that follows, to the last.
    public var states: AsyncStream<EventStreamState> { connection.states.values }

    /// The current state of the connection.
    public var state: EventStreamState { connection.states.value }

    public func makeAsyncIterator() -> some AsyncIteratorProtocol<Event, any Error> {
        Iterator(reader: EventReader(stream, response, policy, connection), decoder: json.decoder, isEnd: policy.isEnd)
    }

    struct Iterator: AsyncIteratorProtocol {
        let reader: EventReader
        let decoder: JSONDecoder
        let isEnd: (@Sendable (ServerSentEvent) -> Bool)?

        mutating func next() async throws -> Event? {
            let (decoder, isEnd, response) = (decoder, isEnd, reader.response)
            return try await reader.next { data, type, id in
                if let isEnd, isEnd(ServerSentEvent(type: type, data: String(decoding: data, as: UTF8.self), id: id)) {
                    return .end
                }
                return .event(try Self.event(data, type, id, decoder, response))
            }
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Event? {
            try await next()
        }

        private static func event(
            _ data: UnsafeRawBufferPointer, _ type: String, _ id: String, _ decoder: JSONDecoder,
            _ response: HTTPResponse
        ) throws -> Event {
            if Event.self == ServerSentEvent.self || Event.self == String.self {
                let text = String(decoding: data, as: UTF8.self)
                let plain: Any = Event.self == String.self ? text : ServerSentEvent(type: type, data: text, id: id)
                if let event = plain as? Event { return event }
            }
            let data = Data(data)
            do {
                return try decoder.decode(Event.self, from: data)
            } catch {
                throw JSONLine.error(error, data, Event.self, "an event", response)
            }
        }
    }
}

/// The state of the connection of an ``EventStream``.
public enum EventStreamState: Hashable, Sendable {
    /// The head of a response has arrived.
    case open
    /// The connection was lost, and the next one follows after a wait.
    case reconnecting(after: Duration)
    /// The stream has ended, or its reader has left. No other state follows.
    case closed
}

/// The state of the connection, for its followers. They end when the stream is released.
final class EventConnection: Sendable {
    let states = Broadcast(EventStreamState.open, keepsAll: true)

    deinit {
        close()
    }

    @inline(never)
    func become(_ new: EventStreamState) {
        states.update { state in
            defer { state = new }
            return state != new
        }
    }

    func close() {
        become(.closed)
        states.end()
    }
}

extension Serializer {
    /// Delivers the events of a `text/event-stream` while they arrive.
    public static func events<Event>(
        _ policy: EventStreamPolicy = EventStreamPolicy(), json: JSONCoding? = nil
    ) -> Self where Output == EventStream<Event> {
        var streaming = Streaming()
        streaming.headers = ["Accept": "text/event-stream"]
        streaming.headers["Last-Event-ID"] = LastEventID.field(policy.lastEventID)
        streaming.contentTypes = ["text/event-stream"]
        streaming.idle = Streaming.Idle(limit: policy.idle)
        streaming.isCached = false
        streaming.problem = policy.problem
        return .streaming(streaming) { response, context in
            EventStream(response, policy: policy, json: json ?? context.json)
        }
    }
}
