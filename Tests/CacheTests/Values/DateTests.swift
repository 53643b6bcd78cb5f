import Foundation
import Testing

@testable import CacheTool
@testable import TangoCache

/// Every store rejects dates that are not a number, with the same error.
@Suite struct DateTests {
    private static let nan = Date(timeIntervalSinceReferenceDate: .nan)

    private static let entries = [
        CacheEntry(body: Data([1]), written: nan), CacheEntry(body: Data([1]), expires: nan),
        CacheEntry(body: Data(count: 100_000), expires: nan),
    ]

    private static func stores(_ folder: ScratchFolder) throws -> [any CacheStore] {
        let disk = try DiskStore(directory: folder.url, onEvent: { _ in })
        return [MemoryStore(), disk, TieredStore(over: disk), LazyStore { MemoryStore() }]
    }

    @Test(arguments: entries.indices) func everyStoreRefusesThemWithOneError(_ index: Int) async throws {
        let folder = ScratchFolder()
        let entry = Self.entries[index]
        for store in try Self.stores(folder) {
            try await store.set(CacheEntry(body: Data([7])), for: "a")
            let attempts: [(String, () async throws -> Void)] = [
                ("set", { try await store.set(entry, for: "a") }),
                ("setMany", { try await store.setMany([(key: "b", entry: CacheEntry(body: Data())), ("a", entry)]) }),
                (
                    "writer",
                    {
                        let writer = try await store.writer(for: "a", entry: entry)
                        try await writer.commit()
                    }
                ),
            ]
            for (name, attempt) in attempts {
                let error = await #expect(throws: CacheError.self, "\(name) of \(store)") { try await attempt() }
                #expect(error?.code == .invalid, "\(name) of \(store)")
                #expect(error?.message.hasPrefix("A date of the entry a is not a number") == true)
                #expect(try await store.get("a")?.body == Data([7]), "\(name) of \(store)")
            }
        }
    }

    @Test(arguments: [true, false]) func aFileThatHoldsOneIsDamaged(_ isWritten: Bool) throws {
        let folder = try DiskFolder()
        let path = folder.file("a")
        let files = FileSystem()
        var entry = CacheEntry(body: Data([1]), expires: .distantFuture, written: Date())
        if isWritten { entry.written = Self.nan } else { entry.expires = Self.nan }
        _ = try EntryFile.write(entry, for: "a", to: path, on: files)
        let damage = #expect(throws: EntryFile.Damage.self) { try EntryFile.read(path, on: files) }
        #expect(damage?.reason == "one of its dates is not a number")
    }

    @Test func theToolShowsThem() {
        #expect(Human.age(Self.nan, at: Date()) == "at no time")
        #expect(Human.age(Date(), at: Self.nan) == "at no time")
    }
}
