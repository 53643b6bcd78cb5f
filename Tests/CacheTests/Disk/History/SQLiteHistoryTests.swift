import Foundation
import Testing

@testable import TangoCache

/// The tables of the history.
@Suite struct SQLiteHistoryTests {
    private let place: DatabaseFolder

    init() throws {
        place = try DatabaseFolder()
    }

    private static let entry = CacheEntry(body: Data("a".utf8), written: Date(timeIntervalSinceReferenceDate: 0))

    private func changes(in database: Database) throws -> [CacheChange] {
        var changes: [CacheChange] = []
        #expect(try database.records(.changes, from: 1) { changes.append($0.change) })
        return changes
    }

    @Test func changesAreRecordedOnlyWhileTheyAreFollowed() throws {
        let database = try place.open()
        try database.change { try $0.set(DatabaseFolder.record("a")) }
        #expect(try changes(in: database) == [])
        try database.change(now: 1_000) { try $0.follow() }
        try database.change(now: 1_100) { try $0.set(DatabaseFolder.record("b")) }
        #expect(try changes(in: database) == [.key("b")])
        // The end of the following is a change of everything, for all followers.
        try database.change(now: 1_700) { try $0.set(DatabaseFolder.record("c")) }
        try database.change(now: 1_700) { try $0.set(DatabaseFolder.record("d")) }
        #expect(try changes(in: database) == [.key("b"), .all])
    }

    @Test func aClockThatWasSetBackLimitsTheFollowing() throws {
        let database = try place.open()
        try database.change(now: 100_000) { try $0.follow() }
        try database.change(now: 1_000) { try $0.set(DatabaseFolder.record("a")) }
        try database.change(now: 1_599) { try $0.set(DatabaseFolder.record("b")) }
        try database.change(now: 1_600) { try $0.set(DatabaseFolder.record("c")) }
        #expect(try changes(in: database) == [.key("a"), .key("b"), .all])
    }

    @Test func aDamagedRecordCountsAsARemovalOfEverything() async throws {
        let engine = try place.engine()
        let position = try #require(try engine.presentMoment())
        try await engine.removeEntries(for: ["other"])
        try place.open().execute("UPDATE removal SET name = CAST('else' AS BLOB)")
        #expect(try await engine.set(Self.entry, for: "a", unlessRemovedSince: position) == false)
        engine.closeFiles()
    }

    @Test func replacingTheDatabaseMakesMomentsUnknown() async throws {
        let engine = try place.engine()
        let position = try #require(try engine.presentMoment())
        engine.closeFiles()
        _ = try place.place.setAside(place.files)
        let second = try place.engine()
        #expect(try await second.set(Self.entry, for: "a", unlessRemovedSince: position) == false)
        second.closeFiles()
    }
}
