import Foundation
import RoomsPreviews
import TangoUI
import Testing

@testable import Rooms

/// The stubs of the previews have a response for each request of the views.
@MainActor @Suite(.timeLimit(.minutes(1))) struct PreviewTests {
    @Test func previewNeedsNoServer() async throws {
        let chat = Chat.preview
        let rooms = RequestModel { chat.rooms() }
        await rooms.load()
        #expect(rooms.value?.map(\.name) == ["Tea", "Trains"])
        let room = RoomModel(try #require(rooms.value?.first), of: chat)
        let view = Task { await room.follow() }
        try await reached { room.messages.count == 3 }
        #expect(room.messages.map(\.author) == ["Ada", "Ben", "Cem"])
        await room.send("Yes, plenty.")
        #expect(room.messages.last?.text == "Yes, plenty.")
        #expect(room.drafts.isEmpty)
        view.cancel()
        await view.value
        #expect(room.problem == nil)
    }
}
