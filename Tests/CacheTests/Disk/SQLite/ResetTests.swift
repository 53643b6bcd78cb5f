import ChildProcesses
import Foundation
import Testing

@testable import TangoCache

@Suite struct ResetTests {
    private let folder = ScratchFolder()
    private let events = Guarded<[CacheEvent]>([])

    init() throws {
        try #require(Database.problem == nil)
    }

    private func open(version: Int = 0) throws -> DiskStore {
        try DiskStore(
            directory: folder.url, version: version,
            onEvent: { [events] event in events.change { $0.append(event) } })
    }

    private var asides: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("damaged-") }) ?? []
    }

    private var resets: Int {
        events.value.count { if case .reset = $0 { true } else { false } }
    }

    private var outdated: Int {
        events.value.count { if case .outdated = $0 { true } else { false } }
    }

    /// Overwrites the database while stores have it open. Another process does it, because closing a file would release
    /// the locks that SQLite holds on it in this process.
    private func damage() async throws {
        let script = "dd if=/dev/urandom of=\"$0\" bs=4096 seek=1 count=400 conv=notrunc status=none"
        let path = Place(folder: folder.path).database
        _ = try await offThread { try ChildProcess(command: ["sh", "-c", script, path]).end() }
    }

    @Test func theHookForAResetMayUseTheStore() async throws {
        let engine = Guarded<DiskStore?>(nil)
        let couldUseIt = Guarded<Bool?>(nil)
        let opened = try DiskStore(
            directory: folder.url, limits: .unlimited,
            onEvent: { event in
                guard case .reset = event else { return }
                let used = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    try? engine.value?.connection.checkpoint()
                    used.signal()
                }
                couldUseIt.change { $0 = used.wait(timeout: .now() + 30) == .success }
            })
        engine.change { $0 = opened }
        try await opened.setMany((0..<400).map { ("\($0)", CacheEntry(body: Data(count: 2_000), written: Date())) })
        try opened.connection.checkpoint()
        try await damage()
        for number in 0..<400 where couldUseIt.value == nil { _ = try opened.load("\(number)") }
        try await opened.setMany([("new", CacheEntry(body: Data([1]), written: Date()))])
        #expect(couldUseIt.value == true)
        engine.change { $0 = nil }
        opened.closeFiles()
    }

    @Test func aDamagedDatabaseIsSetAsideOnceHoweverManyFindIt() async throws {
        for round in 1...(isLongRun ? 100 : 5) {
            let stores = try (0..<2).map { _ in try open() }
            try await stores[0].setMany((0..<400).map { ("\($0)", CacheEntry(body: Data(count: 2_000))) })
            try await stores[0].maintain()
            try await stores[0].maintain()
            let before = resets
            try await damage()
            try await withThrowingTaskGroup { group in
                for store in stores {
                    for task in 0..<4 {
                        group.addTask {
                            for number in 0..<100 { _ = try await store.get("\(number * 4 + task)") }
                        }
                    }
                }
                group.addTask {
                    for number in 0..<20 { try await stores[1].set(CacheEntry(body: Data([1])), for: "new \(number)") }
                }
                try await group.waitForAll()
            }
            // No reset, if all data that was read was still in memory.
            #expect(resets <= before + 1, "round \(round)")
            #expect(asides.count <= 1)
            for store in stores {
                try await store.set(CacheEntry(body: Data([2])), for: "after")
                #expect(try await store.get("after")?.body == Data([2]))
            }
            for store in stores { await store.close() }
        }
        #expect(resets > 0)
    }

    @Test func onlyTheLastDatabaseSetAsideRemains() async throws {
        for count in 1...3 {
            let index = Place(folder: folder.path).index
            try FileManager.default.createDirectory(atPath: index, withIntermediateDirectories: true)
            try Data(repeating: 0x55, count: 10_000).write(to: URL(fileURLWithPath: index + "/entries.sqlite"))
            let store = try open()
            #expect(resets == count)
            #expect(asides.count == 1)
            await store.close()
        }
    }

    @Test func anotherVersionOfTheApplicationStartsEmpty() async throws {
        let first = try open(version: 1)
        try await first.set(CacheEntry(body: Data(count: 20_000), tags: ["t"], pinned: true), for: "a")
        await first.close()
        let same = try open(version: 1)
        #expect(try await same.get("a") != nil)
        #expect(outdated == 0)
        await same.close()
        let second = try open(version: 2)
        #expect(outdated == 1)
        #expect(try await second.get("a") == nil)
        try await second.maintain()
        try StoreInspection.expectOrder(in: folder.url)
        await second.close()
        let again = try open(version: 2)
        #expect(outdated == 1)
        #expect(asides == [])
        await again.close()
    }

    @Test(arguments: [
        "PRAGMA user_version=2", "PRAGMA user_version=4", "PRAGMA application_id=5", "PRAGMA user_version=0",
    ])
    func aDatabaseOfAnotherFormatIsSetAside(_ change: String) async throws {
        let first = try open()
        try await first.set(CacheEntry(body: Data(count: 10)), for: "a")
        await first.close()
        let path = Place(folder: folder.path).database
        try Database(path, .owner, timeout: 0).execute(change)
        let second = try open()
        #expect(outdated == 1)
        #expect(asides.count == 1)
        #expect(try await second.get("a") == nil)
        try await second.set(CacheEntry(body: Data([1])), for: "b")
        #expect(try await second.get("b") != nil)
        await second.close()
    }

    @Test func aForeignDatabaseIsSetAside() async throws {
        let place = Place(folder: folder.path)
        try FileManager.default.createDirectory(atPath: place.index, withIntermediateDirectories: true)
        do {
            let other = try Database(place.database, .owner, timeout: 0)
            try other.execute("CREATE TABLE entry (id INTEGER PRIMARY KEY, name TEXT)")
            try other.execute("INSERT INTO entry VALUES (1, 'theirs')")
        }
        let store = try open()
        #expect(outdated == 1)
        let aside = try #require(asides.first)
        let kept = try Database(folder.path + "/" + aside + "/entries.sqlite", .reader, timeout: 0)
        #expect(try kept.integer("SELECT count(*) FROM entry WHERE name = 'theirs'") == 1)
        await store.close()
    }

    @Test func tablesThatAreNotOursAreDamage() async throws {
        let first = try open()
        await first.close()
        let path = Place(folder: folder.path).database
        try Database(path, .owner, timeout: 0).execute("DROP TABLE touched")
        let second = try open()
        #expect(resets == 1)
        await second.close()
    }

    @Test func aTableWithoutItsPrimaryKeyIsDamage() async throws {
        let first = try open()
        try await first.set(CacheEntry(body: Data([1])), for: "a")
        await first.close()
        let path = Place(folder: folder.path).database
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let name = try #require(bytes.firstRange(of: Data("id INTEGER PRIMARY KEY,\n    hash".utf8)))
        bytes[name.lowerBound + 12] = UInt8(ascii: "Q")
        try bytes.write(to: URL(fileURLWithPath: path))
        let second = try open()
        #expect(resets == 1)
        try await second.set(CacheEntry(body: Data([2])), for: "a")
        #expect(try await second.get("a")?.body == Data([2]))
        await second.close()
    }

    /// Invalid input of a caller does not count as damage of the database.
    @Test func anEntryThatCannotBeStoredIsRejectedAndNoneIsLost() async throws {
        let store = try open()
        try await store.set(CacheEntry(body: Data([1])), for: "a")
        let nan = Date(timeIntervalSinceReferenceDate: .nan)
        for entry in [CacheEntry(body: Data(), written: nan), CacheEntry(body: Data(), expires: nan)] {
            let error = await #expect(throws: CacheError.self) { try await store.set(entry, for: "b") }
            #expect(error?.code == .invalid)
        }
        #expect(try await store.get("a") != nil)
        #expect(resets == 0)
        await store.close()
    }
}
