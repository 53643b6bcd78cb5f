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
        let position = try HistoryPosition(#require(try engine.moment()))
        try await engine.remove(["other"])
        try place.open().execute("UPDATE removal SET name = CAST('else' AS BLOB)")
        #expect(try await engine.set(Self.entry, for: "a", unlessRemovedSince: position) == false)
        engine.close()
    }

    /// The changes that turn a database into one of format 1.
    private static let withoutHistory = [
        "DROP INDEX entry_line", "DROP TABLE history", "DROP TABLE removal", "DROP TABLE change",
        "PRAGMA user_version=1",
    ]

    @Test func aDatabaseOfTheFormerFormatGetsAHistory() async throws {
        do {
            let database = try place.open()
            try database.change { try $0.set(DatabaseFolder.record("a")) }
            for sql in Self.withoutHistory { try database.execute(sql) }
        }
        let engine = try place.engine()
        let position = try HistoryPosition(#require(try engine.moment()))
        #expect(try engine.get("a") != nil)
        try await engine.remove(["a"])
        #expect(try await engine.set(Self.entry, for: "a", unlessRemovedSince: position) == false)
        #expect(place.events.value.isEmpty)
        engine.close()
    }

    @Test func aGuestUpgradesTheFormerFormatOnlyWhenItRemoves() async throws {
        do {
            let database = try place.open()
            try database.change { try $0.set(DatabaseFolder.record("a")) }
            for sql in Self.withoutHistory { try database.execute(sql) }
        }
        let guest = try SQLiteEngine(
            folder: place.folder.path, limits: .unlimited, role: .guest(repairs: false), clock: WallClock(nil)
        ) { _ in }
        #expect(try guest.get("a") != nil)
        #expect(try guest.read { try $0.database.integer("PRAGMA user_version") } == 1)
        #expect(try await guest.remove(["a"]) == 1)
        #expect(try guest.read { try $0.database.integer("PRAGMA user_version") } == 2)
        guest.close()
        let engine = try place.engine()
        #expect(try engine.moment() != nil)
        #expect(try engine.read { try $0.database.integer("PRAGMA user_version") } == 3)
        engine.close()
    }

    @Test func aDatabaseWithoutAnIndexOfLinesGetsOneAndANewHistory() async throws {
        let first = try place.engine()
        try await first.set([("a\n1", Self.entry), ("a\n2", Self.entry), ("b", Self.entry)])
        let moment = try #require(try first.moment())
        first.close()
        for sql in ["DROP INDEX entry_line", "PRAGMA user_version=2"] {
            try Database(place.place.database, .owner, timeout: 0).execute(sql)
        }
        let engine = try place.engine()
        #expect(try await engine.removeAll(.prefixed("a\n1")) { _ in } == 1)
        #expect(try await engine.removeAll(.prefixed("a\n")) { _ in } == 1)
        #expect(try engine.get("b") != nil)
        #expect(try await engine.set(Self.entry, for: "c", unlessRemovedSince: HistoryPosition(moment)) == false)
        #expect(try await engine.verify(repair: false) { _, _ in }.isSound)
        #expect(place.events.value.isEmpty)
        engine.close()
    }

    @Test func replacingTheDatabaseMakesMomentsUnknown() async throws {
        let engine = try place.engine()
        let position = try HistoryPosition(#require(try engine.moment()))
        engine.close()
        _ = try place.place.setAside(place.files)
        let second = try place.engine()
        #expect(try await second.set(Self.entry, for: "a", unlessRemovedSince: position) == false)
        second.close()
    }
}
