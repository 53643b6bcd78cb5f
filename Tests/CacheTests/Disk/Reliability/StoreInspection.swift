import Foundation
import Testing

@testable import TangoCache

/// Inspects the folder of a store without the store.
enum StoreInspection {
    /// Expects that the sums match a count, that every file belongs to a row, and that each row has its file.
    static func expectOrder(in folder: URL) throws {
        let place = Place(folder: folder.path)
        let database = try Database(place.database, .reader, timeout: 10_000)
        try database.reading {
            let kept = try Totals(in: database)
            var counted = kept
            try counted.recount(in: database)
            #expect(kept.count == counted.count)
            #expect(kept.bytes == counted.bytes)
            #expect(kept.pinnedCount == counted.pinnedCount)
            #expect(kept.pinnedBytes == counted.pinnedBytes)
            #expect(try database.integer("SELECT count(*) FROM tag WHERE id NOT IN (SELECT id FROM entry)") == 0)
            var named: Set<String> = []
            let statement = try database.statement(Statements.files)
            while try statement.step() { named.insert(UInt64(bitPattern: statement.integer(0)).hexadecimal(16)) }
            statement.reset()
            let files = try FileManager.default.contentsOfDirectory(atPath: place.bodies)
            #expect(Set(files) == named)
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.temporary) == [])
        }
        try database.execute("PRAGMA integrity_check")
    }
}
