/// An event of a `text/event-stream`, as the server sent it.
public struct ServerSentEvent: Hashable, Codable, Sendable {
    /// The type of the event: `message` if the server names none.
    public var type: String
    /// The lines of its data, joined by line feeds.
    public var data: String
    /// The last identifier that the server has sent, with this event or an earlier one; empty if there was none.
    public var id: String

    public init(type: String = "message", data: String, id: String = "") {
        self.type = type
        self.data = data
        self.id = id
    }
}
