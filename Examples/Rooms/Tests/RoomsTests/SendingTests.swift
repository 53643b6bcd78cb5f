import Foundation
import LoopbackServer
import Tango
import Testing

@testable import Rooms

@MainActor @Suite(.timeLimit(.minutes(1))) struct SendingTests {
    let server: Server
    let model: RoomModel

    init() throws {
        server = try Server()
        model = RoomModel(server.room, of: server.chat)
    }

    private func keys() -> [String] {
        server.server.requests.compactMap { $0.headers["Idempotency-Key"] }
    }

    @Test func messageIsADraftUntilTheServerHasIt() async throws {
        let gate = Gate()
        server.server.answer(
            Server.history, method: "POST", with: .json(Server.json(message: 7, "Hello")).held(by: gate))
        let model = model
        let sending = Task { await model.send("Hello") }
        try await gate.reached()
        #expect(model.drafts.map(\.text) == ["Hello"])
        #expect(model.messages.isEmpty)
        // What is on its way is not sent again.
        await model.retry(try #require(model.drafts.first))
        gate.open()
        await sending.value
        #expect(model.drafts.isEmpty)
        #expect(model.messages.map(\.text) == ["Hello"])
        #expect(server.server.requestCount == 1)
        #expect(server.server.requests.first?.text == #"{"text":"Hello"}"#)
    }

    @Test func messageThatAlsoArrivesAsAnUpdateIsShownOnce() async throws {
        let gate = Gate()
        server.server.answer(Server.history, with: Server.history([]))
        server.server.answer(Server.updates, with: .events([Server.event(7)], ends: false))
        server.server.answer(Server.history, method: "POST", with: .json(Server.json(message: 7)).held(by: gate))
        let model = model
        let view = Task { await model.follow() }
        let sending = Task { await model.send("message 7") }
        try await reached { model.messages.count == 1 }
        gate.open()
        await sending.value
        #expect(model.messages.map(\.id) == [7])
        #expect(model.drafts.isEmpty)
        view.cancel()
    }

    @Test func temporaryFailureIsRetriedWithTheSameKey() async throws {
        server.server.enqueue(.status(503), .json(Server.json(message: 7)))
        await model.send("Hello")
        #expect(model.messages.map(\.id) == [7])
        #expect(keys().count == 2)
        #expect(Set(keys()).count == 1)
    }

    @Test func refusedMessageCanBeSentAgain() async throws {
        server.server.enqueue(.status(422), .json(Server.json(message: 7)), .json(Server.json(message: 8)))
        await model.send("Hello")
        let draft = try #require(model.drafts.first)
        #expect(draft.problem != nil)
        await model.retry(draft)
        #expect(model.drafts.isEmpty)
        // A second tap on the button sends nothing.
        await model.retry(draft)
        #expect(model.messages.map(\.id) == [7])
        await model.send("Hello")
        #expect(model.messages.map(\.id) == [7, 8])
        // Another message has another key, even with the same text.
        #expect(keys().count == 3)
        #expect(keys()[0] == keys()[1])
        #expect(keys()[1] != keys()[2])
    }

    @Test func discardedDraftIsGone() async throws {
        server.server.answer(with: .status(422))
        await model.send("Hello")
        model.discard(try #require(model.drafts.first))
        #expect(model.drafts.isEmpty)
        #expect(server.server.requestCount == 1)
    }
}
