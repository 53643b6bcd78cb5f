import Foundation
import LoopbackServer
import Rooms
import TangoUI
import Testing

/// The list of rooms needs no model of its own: it is the output of a request.
@MainActor @Suite(.timeLimit(.minutes(1))) struct RoomListTests {
    let server: Server
    let rooms: RequestModel<[Room]>

    init() throws {
        let server = try Server()
        self.server = server
        rooms = RequestModel { server.chat.rooms() }
    }

    @Test func roomsAreThoseOfTheServer() async {
        server.server.answer("/rooms", with: .json("[\(Server.json(room: "tea")), \(Server.json(room: "trains"))]"))
        await rooms.load()
        #expect(rooms.value?.map(\.name) == ["Tea", "Trains"])
        #expect(rooms.error == nil)
    }

    @Test func failedRefreshKeepsTheRooms() async {
        server.server.enqueue(.json("[\(Server.json(room: "tea"))]"), .status(500))
        await rooms.load()
        await rooms.load()
        #expect(rooms.value?.map(\.id) == ["tea"])
        #expect(rooms.error != nil)
        #expect(!rooms.isLoading)
    }
}
