import Foundation
import Testing

@testable import TangoCache

@Suite struct EngineChoiceTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var asked: DiskStore.Engine
        var problem: String?
        var found: EngineChoice.Found
        /// The engine, or nil if opening throws.
        var engine: DiskStore.Engine?
        var discarded: EngineChoice.Found = []
        var isFallback = false

        var testDescription: String { "\(asked), \(problem ?? "SQLite"), \(found.rawValue)" }
    }

    static let both: EngineChoice.Found = [.sqlite, .files]

    static let table = [
        Row(asked: .automatic, found: [], engine: .sqlite),
        Row(asked: .automatic, found: .sqlite, engine: .sqlite),
        Row(asked: .automatic, found: .files, engine: .files, isFallback: true),
        Row(asked: .automatic, found: both, engine: .sqlite, discarded: both),
        Row(asked: .automatic, problem: "none", found: [], engine: .files, isFallback: true),
        Row(asked: .automatic, problem: "none", found: .sqlite, engine: nil),
        Row(asked: .automatic, problem: "none", found: .files, engine: .files, isFallback: true),
        Row(asked: .automatic, problem: "none", found: both, engine: .files, discarded: both, isFallback: true),
        Row(asked: .sqlite, found: [], engine: .sqlite),
        Row(asked: .sqlite, found: .sqlite, engine: .sqlite),
        Row(asked: .sqlite, found: .files, engine: .sqlite, discarded: .files),
        Row(asked: .sqlite, found: both, engine: .sqlite, discarded: both),
        Row(asked: .sqlite, problem: "none", found: [], engine: nil),
        Row(asked: .sqlite, problem: "none", found: .files, engine: nil),
        Row(asked: .files, found: [], engine: .files),
        Row(asked: .files, found: .files, engine: .files),
        Row(asked: .files, found: .sqlite, engine: .files, discarded: .sqlite),
        Row(asked: .files, found: both, engine: .files, discarded: both),
        Row(asked: .files, problem: "none", found: .sqlite, engine: .files, discarded: .sqlite),
    ]

    @Test(arguments: table) func theEngineIsTheOneWhoseEntriesCannotComeBack(_ row: Row) throws {
        guard let engine = row.engine else {
            let error = #expect(throws: CacheError.self) {
                try EngineChoice.choose(row.asked, for: "/folder", problem: row.problem, found: row.found)
            }
            #expect(error?.code == .system)
            #expect(error?.message.contains("SQLite cannot be used: none") == true)
            return
        }
        let choice = try EngineChoice.choose(row.asked, for: "/folder", problem: row.problem, found: row.found)
        #expect(choice.engine == engine)
        // Discarded files are those of the other engine. If both have some, neither is known to be current.
        #expect(choice.discarded == (row.discarded.isEmpty ? [] : row.found))
        #expect((choice.fallback != nil) == row.isFallback)
    }

    /// The library fails to load once, and loads the next time.
    @Test func aLibraryIsTriedOnceMore() throws {
        let folder = ScratchFolder()
        let asked = Guarded(0)
        let opening = EngineOpening(
            place: Place(folder: folder.path), limits: .unlimited, role: .owner(version: 0), clock: WallClock(nil),
            report: { _ in },
            problem: {
                asked.change {
                    $0 += 1; return $0
                } == 1 ? "too many open files" : Database.problem
            })
        let (engine, opened) = try opening.open(.automatic)
        #expect(engine == .sqlite)
        opened.close()
    }

    @Test func discardedEntriesAreReportedAndRemoved() async throws {
        let folder = ScratchFolder()
        let first = try DiskStore(directory: folder.url, engine: .sqlite, onEvent: { _ in })
        try await first.set(CacheEntry(body: Data(count: 50_000)), for: "a")
        await first.close()
        let events = StoreEvents()
        let store = try DiskStore(directory: folder.url, engine: .files, onEvent: { events.note($0) })
        #expect(events.all.count == 1)
        #expect(events.all.first?.contains("another engine has stored entries") == true)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!names.contains("index"))
        #expect(!names.contains("bodies"))
        await store.close()
    }

    /// A process that was killed before it had removed discarded files leaves them to the next one.
    @Test func theNextOpeningRemovesTheRestOfDiscardedEntries() async throws {
        let folder = ScratchFolder()
        let files = FileSystem()
        let left = folder.path + "/discarded-0123456789abcdef"
        try files.makeFolder(left + "/entries")
        let place = Place(folder: folder.path)
        let failed = Guarded(0)
        try place.removeDiscarded(files) { _ in failed.change { $0 += 1 } }
        while FileManager.default.fileExists(atPath: left) { await Task.yield() }
        #expect(failed.value == 0)
    }

    @Test func aStoreThatIsOpenNoticesTheOtherEngine() async throws {
        let folder = ScratchFolder()
        let store = try DiskStore(directory: folder.url, engine: .sqlite, onEvent: { _ in })
        try await store.set(CacheEntry(body: Data([1])), for: "a")
        try removeAtOnce(folder.path)
        let files = try DiskStore(directory: folder.url, engine: .files, onEvent: { _ in })
        try await files.set(CacheEntry(body: Data([2])), for: "a")
        let error = await #expect(throws: CacheError.self) {
            try await store.set(CacheEntry(body: Data([3])), for: "a")
        }
        #expect(error?.code == .invalid)
        #expect(error?.message.contains("different engines") == true)
        #expect(try await files.get("a")?.body == Data([2]))
        await store.close()
    }

    /// Processes with and without SQLite that open a new folder at once agree on one engine.
    @Test func storesOfOneFolderHaveOneEngine() async throws {
        for _ in 0..<10 {
            let folder = ScratchFolder()
            let found = Guarded<Set<EngineChoice.Found.RawValue>>([])
            let place = Place(folder: folder.path)
            await withTaskGroup { group in
                for number in 0..<6 {
                    group.addTask {
                        let opening = EngineOpening(
                            place: place, limits: .unlimited, role: .owner(version: 0), clock: WallClock(nil),
                            report: { _ in }, problem: { number % 2 == 0 ? Database.problem : "there is none" })
                        guard let (_, engine) = try? opening.open(.automatic) else { return }
                        let engines = (try? place.enginesFound(FileSystem())) ?? []
                        found.change { _ = $0.insert(engines.rawValue) }
                        engine.close()
                    }
                }
            }
            #expect(found.value == [1] || found.value == [2])
        }
    }
}
