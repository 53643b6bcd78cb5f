import Foundation
import Testing

@testable import TangoCache

/// A folder with an empty database, for tests of the parts of the engine.
final class DatabaseFolder: Sendable {
    let folder = ScratchFolder()
    let place: Place
    let files = FileSystem()
    let events = Guarded<[CacheEvent]>([])

    init() throws {
        try #require(Database.problem == nil)
        place = Place(folder: folder.path)
        try files.makeFolder(place.index)
    }

    /// The way to open a database in this folder.
    var opening: Opening {
        Opening(place: place, files: files, role: .owner(version: 0))
    }

    /// Opens a separate connection.
    func open() throws -> Database {
        var noted: [CacheEvent] = []
        defer { events.change { [noted] in $0 += noted } }
        return try opening.open(now: 0, &noted)
    }

    /// Opens a store.
    func engine(limits: CacheLimits = .unlimited, now: (@Sendable () -> Date)? = nil) throws -> DiskStore {
        try DiskStore(
            directory: folder.url, limits: limits,
            onEvent: { [events] event in events.change { $0.append(event) } }, now: now)
    }

    static func record(
        _ key: CacheKey, bytes: Int = 100, tags: Set<String> = [], pinned: Bool = false, expires: Double? = nil,
        written: Double = 0
    ) -> Record {
        let entry = CacheEntry(
            body: Data(repeating: 7, count: bytes), expires: expires.map { Date(timeIntervalSinceReferenceDate: $0) },
            tags: tags, pinned: pinned, written: Date(timeIntervalSinceReferenceDate: written))
        return Record(key: key, entry: entry)
    }
}

extension Database {
    /// Makes changes, as the writer does.
    @discardableResult
    func change<Result>(
        _ limits: CacheLimits = .unlimited, now: Double = 0, _ work: (Transaction) throws -> Result
    ) throws -> (Result, Transaction.Removed) {
        let transaction = try Transaction(self, limits: limits, now: now)
        do {
            let result = try work(transaction)
            try transaction.commit(sparing: RecentReads())
            return (result, transaction.removed)
        } catch {
            rollback()
            throw error
        }
    }

    func keys() throws -> [String] {
        let statement = try statement("SELECT key FROM entry ORDER BY id")
        defer { statement.reset() }
        var keys: [String] = []
        while try statement.step() { keys.append(String(decoding: statement.bytes(0), as: UTF8.self)) }
        return keys
    }

    /// Returns whether the sums match a count.
    func hasRightTotals() throws -> Bool {
        let kept = try Totals(in: self)
        var counted = kept
        try counted.recount(in: self)
        (counted.hand, counted.lap) = (kept.hand, kept.lap)
        return kept == counted
    }
}
