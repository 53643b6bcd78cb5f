import Foundation
import Tango

public struct Room: Codable, Hashable, Identifiable, Sendable {
    public let id: String, name: String, topic: String
}

public struct Message: Codable, Hashable, Identifiable, Sendable {
    /// Newer messages have higher numbers.
    public let id: Int
    public let author: String, text: String, sent: Date
}

/// A part of the history of a room, from the oldest to the newest message.
struct History: Codable, Sendable {
    let messages: [Message]
    /// The cursor of the messages before these; nil if there are none.
    let earlier: String?
}

/// The server of the chat, with the client that sends its requests. A test or a preview passes another client.
public struct Chat: Sendable {
    private let client: Client

    public init(client: Client) {
        self.client = client
    }

    public func rooms() -> Request<[Room]> { GetRooms(client) }

    func history(of room: Room.ID, before cursor: String? = nil) -> Request<History> {
        GetHistory(of: room, before: cursor, client)
    }

    /// The messages after the newest one that is known, and all later ones as they are sent.
    func updates(of room: Room.ID, after newest: Message.ID?) -> Request<EventStream<Message>> {
        GetUpdates(of: room, after: newest, client)
    }

    func send(_ text: String, to room: Room.ID, key: String) -> Request<Message> {
        SendMessage(text, to: room, key: key, client)
    }
}

private class ChatRequest<Output: Sendable>: Request<Output> {
    private let sender: Client
    init(_ client: Client) { sender = client }
    override var client: Client { sender }
}

private final class GetRooms: ChatRequest<[Room]> {
    override var endpoint: Endpoint { .get("/rooms") }
}

private final class GetHistory: ChatRequest<History> {
    let room: Room.ID, cursor: String?
    init(of room: Room.ID, before cursor: String?, _ client: Client) {
        (self.room, self.cursor) = (room, cursor)
        super.init(client)
    }
    override var endpoint: Endpoint { .get("/rooms/\(room)/messages", query: ["before": cursor]) }
}

private final class GetUpdates: ChatRequest<EventStream<Message>> {
    let room: Room.ID, newest: Message.ID?
    init(of room: Room.ID, after newest: Message.ID?, _ client: Client) {
        (self.room, self.newest) = (room, newest)
        super.init(client)
    }
    override var endpoint: Endpoint { .get("/rooms/\(room)/updates") }
    override var serializer: Serializer<EventStream<Message>> {
        .events(EventStreamPolicy(lastEventID: newest.map(String.init) ?? ""))
    }
}

private final class SendMessage: ChatRequest<Message> {
    let text: String, room: Room.ID, key: String
    init(_ text: String, to room: Room.ID, key: String, _ client: Client) {
        (self.text, self.room, self.key) = (text, room, key)
        super.init(client)
    }
    override var endpoint: Endpoint { .post("/rooms/\(room)/messages", body: .json(["text": text])) }
    // The server knows a repetition by its key, so that no message is there twice.
    override var headers: Headers { ["Idempotency-Key": key] }
    override var retryPolicy: RetryPolicy { .standard.withIdempotencyKey() }
}
