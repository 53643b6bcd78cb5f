import Foundation
import LoopbackServer
import Tango
import Testing

@testable import Rooms

@MainActor @Suite(.timeLimit(.minutes(1))) struct RoomModelTests {
    let server: Server
    let model: RoomModel

    init() throws {
        server = try Server()
        model = RoomModel(server.room, of: server.chat)
    }

    private var ids: [Int] { model.messages.map(\.id) }

    /// Follows the room while a test runs, as a view does while it is visible.
    private func following(_ body: @MainActor () async throws -> Void) async rethrows {
        let model = model
        let view = Task { await model.follow() }
        defer { view.cancel() }
        try await body()
    }

    @Test func updatesComeAfterTheHistory() async throws {
        let gate = Gate()
        server.server.answer(Server.history, with: Server.history([1, 2]))
        server.server.answer(Server.updates, with: .events([.hold(gate), Server.event(3)], ends: false))
        try await following {
            try await reached { model.connection == .live }
            #expect(ids == [1, 2])
            gate.open()
            try await reached { ids == [1, 2, 3] }
        }
        // The server is told what is known, so that no message is missing between both.
        #expect(server.server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "2"])
        #expect(model.problem == nil)
    }

    @Test func lostConnectionIsRestoredWithoutDuplicates() async throws {
        let gate = Gate()
        server.server.answer(Server.history, with: Server.history([1]))
        server.server.enqueue(
            Server.history([1]), .events([.retry(milliseconds: 1), Server.event(2), .disconnect]),
            .events([.hold(gate), Server.event(2), Server.event(3)], ends: false).held(by: gate))
        try await following {
            try await reached { model.connection == .reconnecting }
            #expect(ids == [1, 2])
            gate.open()
            try await reached { ids == [1, 2, 3] }
            try await reached { model.connection == .live }
        }
        #expect(server.server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "1", "2"])
    }

    @Test func connectionEndsWithTheView() async throws {
        server.server.answer(Server.history, with: Server.history([1]))
        server.server.answer(Server.updates, with: .events([], ends: false))
        try await following { try await reached { model.connection == .live } }
        try await reached { model.connection == .closed }
        try await server.server.connections(open: 0)
        #expect(model.problem == nil)
    }

    @Test func failureIsShownUntilTheNextAttempt() async throws {
        server.server.enqueue(.status(500), Server.history([1]), .events([], ends: false))
        await model.follow()
        #expect(model.problem != nil)
        #expect(model.connection == .closed)
        try await following {
            try await reached { model.connection == .live }
            #expect(model.problem == nil)
            #expect(ids == [1])
        }
    }

    @Test func earlierMessagesAreInsertedBeforeTheOthers() async {
        server.server.enqueue(
            Server.history(5...6, earlier: "c5"), .status(204), Server.history(3...4, earlier: "c3"), .status(503),
            Server.history(1...2))
        await model.follow()
        #expect(model.hasEarlier)
        await model.loadEarlier()
        #expect(ids == [3, 4, 5, 6])
        // The cursor survives a failure.
        await model.loadEarlier()
        #expect(model.problem != nil)
        #expect(model.hasEarlier)
        await model.loadEarlier()
        #expect(ids == [1, 2, 3, 4, 5, 6])
        #expect(!model.hasEarlier)
        await model.loadEarlier()
        #expect(
            server.server.requests.filter { $0.path == Server.history }.map(\.query)
                == [nil, "before=c5", "before=c3", "before=c3"])
    }

    @Test func earlierMessagesAreRequestedOnce() async throws {
        let gate = Gate()
        server.server.enqueue(Server.history(3...4, earlier: "c3"), .status(204), Server.history(1...2).held(by: gate))
        await model.follow()
        let model = model
        let first = Task { await model.loadEarlier() }
        try await gate.reached()
        #expect(model.isLoadingEarlier)
        await model.loadEarlier()
        gate.open()
        await first.value
        #expect(ids == [1, 2, 3, 4])
        #expect(server.server.requestCount == 3)
    }

    @Test(arguments: [(4...5, [1, 2, 3, 4, 5], "before=c1"), (8...9, [8, 9], "before=c8")])
    func historyContinuesThatOfTheModelOrReplacesIt(_ newer: ClosedRange<Int>, _ all: [Int], _ query: String) async {
        server.server.enqueue(
            Server.history(1...4, earlier: "c1"), .status(204), Server.history(newer, earlier: "c\(newer.lowerBound)"),
            .status(204), Server.history([]))
        await model.follow()
        await model.follow()
        #expect(ids == all)
        await model.loadEarlier()
        #expect(server.server.requests.last?.query == query)
    }

    @Test func cachedHistoryIsShownWithoutAServer() async throws {
        let server = try Server(cache: MemoryStore())
        server.server.answer(Server.history, with: Server.history([1, 2]).header("Cache-Control", "max-age=0"))
        server.server.answer(Server.updates, with: .status(204))
        let first = RoomModel(server.room, of: server.chat)
        await first.follow()
        server.server.stop()
        let second = RoomModel(server.room, of: server.chat)
        await second.follow()
        #expect(second.messages == first.messages)
        #expect(second.messages.count == 2)
        #expect(second.problem != nil)
    }
}
