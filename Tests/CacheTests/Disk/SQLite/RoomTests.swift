import Foundation
import Testing

@testable import TangoCache

@Suite struct RoomTests {
    private let folder: DatabaseFolder
    private let database: Database

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
    }

    private func fill(_ numbers: Range<Int>, _ limits: CacheLimits, pinned: Bool = false) throws {
        for number in numbers {
            try database.change(limits) { try $0.set(DatabaseFolder.record("\(number)", pinned: pinned)) }
        }
    }

    @Test func theOldestGoFirst() throws {
        try fill(0..<10, CacheLimits(count: 5))
        #expect(try database.keys() == ["5", "6", "7", "8", "9"])
        #expect(try database.hasRightTotals())
    }

    @Test func bytesAreALimitToo() throws {
        let charge = Int(DatabaseFolder.record("1").charge)
        try fill(0..<10, CacheLimits(bytes: 4 * charge + 10))
        #expect(try database.keys() == ["6", "7", "8", "9"])
    }

    @Test func aReadEntrySurvivesOneLap() throws {
        let limits = CacheLimits(count: 4)
        try fill(0..<4, limits)
        try database.change(limits) { try $0.touch([1, 3]) }
        try fill(4..<6, limits)
        #expect(Set(try database.keys()) == ["0", "2", "4", "5"])
        try fill(6..<9, limits)
        #expect(Set(try database.keys()).isDisjoint(with: ["0", "2"]))
    }

    /// An entry that was read long ago must not stay for ever while all new ones are evicted.
    @Test func recentlyReadEntriesReplaceThoseReadLongAgo() throws {
        let limits = CacheLimits(count: 100)
        try fill(0..<100, limits)
        try database.change(limits) { try $0.touch(1...90) }
        for number in 100..<400 {
            try fill(number..<number + 1, limits)
            let rows = try database.integer("SELECT max(id) FROM entry") ?? 0
            try database.change(limits) { try $0.touch([rows - 20]) }
        }
        let keys = try database.keys().compactMap { Int($0) }
        #expect(keys.count { $0 < 100 } == 0)
        #expect(keys.count == 100)
    }

    @Test func everythingReadIsStillNoReasonToKeepAll() throws {
        let limits = CacheLimits(count: 3)
        try fill(0..<3, limits)
        try database.change(limits) { try $0.touch([1, 2, 3]) }
        try fill(3..<4, limits)
        #expect(try database.keys().count == 3)
        #expect(try database.keys().contains("3"))
    }

    @Test func pinnedEntriesStay() throws {
        let limits = CacheLimits(count: 4)
        try fill(0..<3, limits, pinned: true)
        try fill(3..<20, limits)
        #expect(Set(try database.keys()) == ["0", "1", "2", "19"])
        try database.change(limits) { try $0.set(DatabaseFolder.record("p", pinned: true)) }
        let error = #expect(throws: CacheError.self) { try fill(20..<21, limits) }
        #expect(error?.code == .full)
    }

    @Test func anEntryLargerThanTheStoreIsRejected() throws {
        let error = #expect(throws: CacheError.self) { try fill(0..<1, CacheLimits(bytes: 150)) }
        #expect(error?.code == .tooLarge)
    }

    @Test func expiredEntriesAreEvictedFirst() throws {
        try database.change { transaction in
            try transaction.set(DatabaseFolder.record("pinned", pinned: true, expires: 5))
            try transaction.set(DatabaseFolder.record("stays"))
        }
        try database.change(CacheLimits(count: 2), now: 10) { try $0.set(DatabaseFolder.record("new")) }
        #expect(try database.keys() == ["stays", "new"])
    }

    @Test func theLastOfManyStays() throws {
        try database.change(CacheLimits(count: 3)) { transaction in
            for number in 0..<50 { try transaction.set(DatabaseFolder.record("\(number)")) }
        }
        let keys = try database.keys()
        #expect(keys.count <= 3)
        #expect(keys.contains("49"))
    }

    @Test func limitsThatWereLoweredAreMet() throws {
        try fill(0..<300, .unlimited)
        let (_, removed) = try database.change(CacheLimits(count: 10)) { try $0.set(DatabaseFolder.record("new")) }
        #expect(try database.keys().count == 10)
        #expect(removed.evictedCount == 291)
        #expect(try database.hasRightTotals())
    }

    @Test func sumsThatAreTooHighAreCountedAnew() throws {
        try fill(0..<3, .unlimited, pinned: true)
        try database.execute("UPDATE total SET count = 1000, bytes = 1000000")
        try database.change(CacheLimits(bytes: 10_000, count: 100)) { try $0.set(DatabaseFolder.record("new")) }
        #expect(try database.keys().count == 4)
        #expect(try database.hasRightTotals())
    }

    /// A flipped byte in the number of a row must not make a listing endless.
    @Test func rowsThatAreOutOfOrderAreWalkedOnce() throws {
        let limits = CacheLimits(count: 3)
        try fill(0..<3, limits, pinned: true)
        try database.emptyLog()
        let path = folder.place.database
        var file = try Data(contentsOf: URL(fileURLWithPath: path))
        // A cell begins with the length of its row, in one or two bytes, and the number of the row.
        let cells = (0..<file.count - 3).filter { index in
            file[index + 2] == 3 && file[index] & 0x80 != 0 && index / 4_096 == 1
        }
        try #require(!cells.isEmpty)
        for cell in cells { file[cell + 2] = 1 }
        let copy = try DatabaseFolder()
        try file.write(to: URL(fileURLWithPath: copy.place.database))
        let damaged = try Database(copy.place.database, .owner, timeout: 0)
        // It must end, with or without an error.
        _ = try? damaged.change(CacheLimits(count: 2)) { try $0.makeRoom() }
        let engine = try copy.engine()
        var after: Int64? = 0
        while let id = after { after = try engine.rows(after: id) { $0.id }.last }
        #expect(copy.events.value.contains { if case .reset = $0 { true } else { false } })
        engine.closeFiles()
    }
}
