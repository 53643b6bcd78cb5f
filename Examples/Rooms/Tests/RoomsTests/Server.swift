import Foundation
import LoopbackServer
import Observation
import Rooms
import Tango

/// A chat server for a test, and the chat that connects to it.
struct Server {
    let server: LoopbackServer
    let chat: Chat
    let room: Room
    static let history = "/rooms/tea/messages"
    static let updates = "/rooms/tea/updates"

    init(cache: (any CacheStore)? = nil) throws {
        server = try LoopbackServer()
        chat = Chat(client: Client(baseURL: server.url, cache: cache))
        room = try JSONDecoder().decode(Room.self, from: Data(Self.json(room: "tea").utf8))
    }

    static func json(room id: String) -> String {
        #"{"id": "\#(id)", "name": "\#(id.capitalized)", "topic": "about \#(id)"}"#
    }

    static func json(message id: Int, _ text: String? = nil) -> String {
        #"{"id": \#(id), "author": "Ada", "text": "\#(text ?? "message \(id)")", "sent": "2030-01-31T12:00:00Z"}"#
    }

    static func history(_ ids: some Sequence<Int>, earlier cursor: String? = nil) -> Response {
        let messages = ids.map { json(message: $0) }.joined(separator: ", ")
        let earlier = cursor.map { "\"\($0)\"" } ?? "null"
        return .json(#"{"messages": [\#(messages)], "earlier": \#(earlier)}"#)
    }

    static func event(_ id: Int) -> Response.EventStep {
        .event(json(message: id), id: "\(id)")
    }
}

/// Returns once a condition on observed properties holds. Throws if the test is cancelled, such as by its time limit.
@MainActor func reached(_ condition: @escaping @MainActor () -> Bool) async throws {
    while true {
        try Task.checkCancellation()
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        if withObservationTracking(condition, onChange: { change.yield() }) { return }
        for await _ in changes { break }
    }
}
