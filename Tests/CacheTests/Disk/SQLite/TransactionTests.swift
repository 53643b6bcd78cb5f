import Foundation
import Testing

@testable import TangoCache

@Suite struct TransactionTests {
    private let folder: DatabaseFolder
    private let database: Database

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
    }

    private func record(
        _ key: CacheKey, bytes: Int = 100, tags: Set<String> = [], pinned: Bool = false, written: Double = 0
    ) -> Record {
        DatabaseFolder.record(key, bytes: bytes, tags: tags, pinned: pinned, written: written)
    }

    @Test func anEntryTakesThePlaceOfTheFormerOne() throws {
        try database.change { try $0.set(record("a", bytes: 10, tags: ["x", "y"])) }
        try database.change { try $0.set(record("a", bytes: 20, tags: ["y", "z"], pinned: true)) }
        #expect(try database.keys() == ["a"])
        #expect(try database.integer("SELECT count(*) FROM tag") == 2)
        #expect(try database.hasRightTotals())
        #expect(try Totals(in: database).pinnedCount == 1)
    }

    @Test func aReplacedOrRemovedFileIsNamedOnceTheRowIsGone() throws {
        let entry = CacheEntry(body: Data(), written: Date())
        try database.change { try $0.set(Record(key: "a", entry: entry, file: 5, length: 20_000)) }
        let replaced = try database.change { try $0.set(Record(key: "a", entry: entry, file: 6, length: 30_000)) }
        #expect(replaced.1.files == [5])
        let removed = try database.change { try $0.remove("a") }
        #expect(removed.0 == 1)
        #expect(removed.1.files == [6])
        #expect(try Totals(in: database).bytes == 0)
    }

    @Test func aKeyWithTheSameHashTakesThePlaceAndIsNotMistaken() throws {
        try database.change { try $0.set(record("a", tags: ["t"])) }
        try database.execute("UPDATE entry SET hash = \(Int64(bitPattern: CacheKey("b").digest))")
        #expect(try database.change { try $0.remove("b") }.0 == 0)
        let reader = try Reader(folder.place.database, .reader, generation: 0, pageCache: 2048)
        #expect(try !reader.finds("b") { _ in true })
        try database.change { try $0.set(record("b")) }
        #expect(try database.keys() == ["b"])
        #expect(try database.integer("SELECT count(*) FROM tag") == 0)
        #expect(try database.hasRightTotals())
        #expect(try reader.finds("b") { _ in true })
    }

    @Test func aConditionDecidesOnRemoval() throws {
        try database.change { try $0.set(record("a")) }
        #expect(try database.change { try $0.remove("a") { _ in false } }.0 == 0)
        #expect(try database.change { try $0.remove(1) { $0.id == 2 } }.0 == 0)
        #expect(try database.change { try $0.remove(1) { $0.id == 1 } }.0 == 1)
        #expect(try database.change { try $0.remove(1) { _ in true } }.0 == 0)
    }

    @Test func clearingLeavesNothing() throws {
        let entry = CacheEntry(body: Data(), tags: ["t"], written: Date())
        try database.change { transaction in
            try transaction.set(Record(key: "a", entry: entry, file: 9, length: 20_000))
            try transaction.set(record("b", pinned: true))
            try transaction.touch([1, 2])
        }
        #expect(try database.change { try $0.clear() }.1.files == [9])
        for count in [
            try database.integer("SELECT count(*) FROM entry"), try database.integer("SELECT count(*) FROM tag"),
            try database.integer("SELECT count(*) FROM touched"),
        ] {
            #expect(count == 0)
        }
        #expect(try database.hasRightTotals())
    }

    @Test func aFailedTransactionChangesNothing() throws {
        try database.change { try $0.set(record("a")) }
        #expect(throws: CacheError.self) {
            try database.change(CacheLimits(bytes: 1_000)) { transaction in
                try transaction.set(record("a", bytes: 5))
                try transaction.set(record("b", bytes: 2_000))
            }
        }
        #expect(try database.keys() == ["a"])
        #expect(try Totals(in: database).bytes == record("a").charge)
    }

    /// SQLite stores no NaN, and rejects it as if the schema were damaged.
    @Test func aTimeThatIsNoNumberIsRefused() throws {
        let nan = Date(timeIntervalSinceReferenceDate: .nan)
        for entry in [CacheEntry(body: Data(), written: nan), CacheEntry(body: Data(), expires: nan, written: Date())] {
            let error = #expect(throws: CacheError.self) {
                try database.change { try $0.set(Record(key: "a", entry: entry)) }
            }
            #expect(error?.code == .invalid)
        }
        for time in [-Double.infinity, .infinity, 0, -1e300] {
            let date = Date(timeIntervalSinceReferenceDate: time)
            try database.change { try $0.set(Record(key: "a", entry: CacheEntry(body: Data(), written: date))) }
        }
    }

    /// Invalid numbers in damaged rows cause no trap.
    @Test(arguments: [Int64.max, .min, 1 << 62, -1])
    func anyLengthInARowIsCounted(_ length: Int64) throws {
        try database.change { transaction in
            for key in ["a", "b", "c", "d"] { try transaction.set(record(CacheKey(key))) }
        }
        try database.execute("UPDATE entry SET length = \(length)")
        try database.change { try $0.set(record("a")) }
        try database.change(CacheLimits(bytes: 500)) { try $0.set(record("e")) }
        #expect(try database.keys().contains("e"))
    }

    @Test(arguments: [Int64.max, .min, -1, 1 << 61])
    func anySumsAreMended(_ number: Int64) throws {
        try database.change { try $0.set(record("a")) }
        for column in ["count", "bytes", "pinned_count", "pinned_bytes", "hand"] {
            try database.execute("UPDATE total SET \(column) = \(number)")
            try database.change { try $0.set(record("b")) }
            if column != "hand" { #expect(try database.hasRightTotals(), "\(column)") }
            try database.change(CacheLimits(count: 1)) { try $0.set(record("c")) }
            #expect(try database.keys() == ["c"])
        }
    }
}
