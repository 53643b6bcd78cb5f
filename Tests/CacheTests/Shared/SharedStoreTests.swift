import CacheConformance
import ChildProcesses
import Foundation
import Synchronization
import Testing

@testable import TangoCache

@Suite struct SharedStoreTests {
    private let folder = ScratchFolder()

    @Test func aLazyStoreKeepsTheContractOfWhatItOpens() async throws {
        try await CacheStoreConformance.check { LazyStore { try DiskStore(directory: folder.url) } }
    }

    @Test func nothingIsOpenedBeforeTheFirstUse() async throws {
        let opened = Mutex(0)
        let store = LazyStore {
            opened.withLock { $0 += 1 }
            return MemoryStore()
        }
        #expect(opened.withLock { $0 } == 0)
        await withTaskGroup { group in
            for _ in 0..<20 { group.addTask { _ = try? await store.get("a") } }
        }
        #expect(opened.withLock { $0 } == 1)
    }

    @Test func withoutADiskEntriesStayInMemoryAndOneEventIsReported() async throws {
        let events = Mutex<[String]>([])
        let lazy = LazyStore(
            report: { event in events.withLock { $0.append("\(event)") } }, mayHoldEntries: { false }
        ) {
            throw CacheError(.readOnly, "nothing may be written here")
        }
        let store = TieredStore(over: lazy)
        try await store.set(CacheEntry(body: Data("hello".utf8)), for: "a")
        #expect(try await store.get("a")?.body == Data("hello".utf8))
        #expect(try await store.get("b") == nil)
        let writer = try await store.writer(for: "film", entry: CacheEntry(body: Data(), tags: ["t"]))
        try await writer.write(Data("abc".utf8))
        try await writer.commit()
        #expect(try await store.get("film")?.body == Data("abc".utf8))
        #expect(try await store.statistics().count == 2)
        #expect(try await store.remove(tag: "t") == 1)
        try await store.remove("a")
        #expect(try await store.get("a") == nil)
        let reported = events.withLock { $0 }
        #expect(reported.count == 1)
        #expect(reported.first?.contains("nothing may be written here") == true)
    }

    @Test(arguments: [
        (["XDG_CACHE_HOME": "/caches", "HOME": "/home/ada"], "/caches"),
        (["XDG_CACHE_HOME": "relative", "HOME": "/home/ada"], "/home/ada/.cache"),
        (["HOME": "/home/ada"], "/home/ada/.cache"),
        ([:], "/temporary/caches-\(geteuid())"), (["HOME": "relative"], "/temporary/caches-\(geteuid())"),
    ])
    func theFolderOfCachesIsTheOneThatTheEnvironmentNames(_ environment: [String: String], _ path: String) {
        let folder = ApplicationFolder(environment: environment, temporary: URL(fileURLWithPath: "/temporary"))
        #expect(folder.folder.hasPrefix(path + "/"))
        #expect(folder.folder.hasSuffix("/Tango"))
        #expect(folder.path.contains(path) == path.hasPrefix("/temporary"))
    }

    @Test func theSharedStoreIsInTheFolderOfTheApplication() async throws {
        let lines = try await offThread { [path = folder.path] in
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            let process = try ChildProcess(
                command: [ChildProcess.executable("CacheProcess"), "shared", path],
                environment: ["XDG_CACHE_HOME": path])
            return process.lines()
        }
        #expect(lines == ["theme dark", "users/1 Ada"])
        let store = try DiskStore(directory: folder.url.appending(path: "CacheProcess/Tango"), onEvent: { _ in })
        #expect(try await store.get("theme")?.body == Data("dark".utf8))
        #expect(try await store.get("users/1")?.body == Data("Ada".utf8))
        await store.close()
    }

    @Test func theSharedStoreIsOne() {
        let store: any CacheStore = .shared
        #expect(store as? TieredStore === TieredStore.shared)
    }
}
