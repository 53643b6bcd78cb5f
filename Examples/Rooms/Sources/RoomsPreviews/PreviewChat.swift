import Foundation
import Rooms
import TangoTesting

extension Chat {
    /// A chat without a server: two rooms, with some messages and one that arrives later.
    public static var preview: Chat {
        let mock = MockTransport()
        mock.stub(
            .get, "/rooms",
            .json([
                ["id": "tea", "name": "Tea", "topic": "Green, black and white"],
                ["id": "trains", "name": "Trains", "topic": "Late again"],
            ]))
        mock.stub(
            .get, "/rooms/{room}/messages",
            .json([
                "messages": [
                    ["id": 1, "author": "Ada", "text": "Hello!", "sent": "2030-01-31T12:00:00Z"],
                    ["id": 2, "author": "Ben", "text": "Good morning.", "sent": "2030-01-31T12:01:00Z"],
                ]
            ]))
        let update = #"{"id": 3, "author": "Cem", "text": "Is there any left?", "sent": "2030-01-31T12:02:00Z"}"#
        mock.stub(
            .get, "/rooms/{room}/updates",
            .text("id: 3\ndata: \(update)\n\n", type: "text/event-stream").delayed(.seconds(1)), .status(.noContent))
        mock.stub(
            .post, "/rooms/{room}/messages",
            .json(["id": 4, "author": "You", "text": "Yes, plenty.", "sent": "2030-01-31T12:03:00Z"]))
        return Chat(client: Client(baseURL: URL(string: "https://chat.invalid")) { $0.transport = mock })
    }
}
