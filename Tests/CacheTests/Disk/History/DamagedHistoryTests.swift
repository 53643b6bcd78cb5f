import Foundation
import Testing

@testable import TangoCache

/// A history whose rows are damaged: nothing is stored on the strength of it, and it repairs itself.
@Suite(.timeLimit(.minutes(20)))
struct DamagedHistoryTests {
    private let folder = ScratchFolder()

    private func open() throws -> DiskStore {
        try DiskStore(directory: folder.url, onEvent: { _ in })
    }

    private func change(_ sql: String) throws {
        try Database(Place(folder: folder.path).database, .reader, timeout: 10_000).execute(sql)
    }

    private static let entry = CacheEntry(body: Data("old".utf8))

    /// Three removals before a moment, and three after it.
    private static let damages = [
        // The record of the removal takes the place of an older one.
        "UPDATE removal SET number = 0 WHERE number = 4", "UPDATE removal SET number = -5 WHERE number = 4",
        "UPDATE removal SET number = 100 WHERE number = 4", "UPDATE removal SET number = number - 3 WHERE number > 3",
        "UPDATE removal SET number = number - 10", "DELETE FROM removal WHERE number = 4", "DELETE FROM history",
        "UPDATE removal SET origin = 5 WHERE number = 4", "UPDATE removal SET kind = 3 WHERE number = 4",
        "UPDATE removal SET name = x'62' WHERE number = 4",
    ]

    @Test(arguments: damages + ["DELETE FROM removal"])
    func aDamagedHistoryStoresNothingThatWasRemoved(_ damage: String) async throws {
        let store = try open()
        for key in ["x", "y", "z"] { try await store.remove(CacheKey(key)) }
        let moment = try #require(try await store.moment())
        for key in ["a", "y", "z"] { try await store.remove(CacheKey(key)) }
        if damage.contains("number - 3") { try change("DELETE FROM removal WHERE number < 4") }
        try change(damage)
        #expect(try await store.set(Self.entry, for: "a", unlessRemovedSince: moment) == false)
        // Moments that are taken from now on are valid.
        let later = try #require(try await store.moment())
        #expect(try await store.set(Self.entry, for: "a", unlessRemovedSince: later))
        try await store.remove("a")
        #expect(try await store.set(Self.entry, for: "a", unlessRemovedSince: later) == false)
        await store.close()
    }

    @Test func aMissingRowOfTheHistoryIsReplaced() async throws {
        let store = try open()
        let moment = try #require(try await store.moment())
        try change("DELETE FROM history")
        let later = try #require(try await store.moment())
        #expect(try await store.set(Self.entry, for: "a", unlessRemovedSince: moment) == false)
        #expect(try await store.set(Self.entry, for: "a", unlessRemovedSince: later))
        await store.close()
    }

    @Test(arguments: damages + ["INSERT INTO change VALUES (1, 5, 0, 5, x'')"])
    func verifyFindsTheDamageAndRepairsIt(_ damage: String) async throws {
        let store = try open()
        try await store.set(Self.entry, for: "a")
        for key in ["u", "v", "w", "x", "y", "z"] { try await store.remove(CacheKey(key)) }
        #expect(try await store.verify().isSound)
        if damage.contains("number - 3") { try change("DELETE FROM removal WHERE number < 4") }
        try change(damage)
        #expect(try await store.verify().structure.count == 1)
        #expect(try await store.verify(repair: true).structure.count == 1)
        #expect(try await store.verify().isSound)
        #expect(try await store.get("a") != nil)
        await store.close()
    }
}
