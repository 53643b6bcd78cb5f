import ChildProcesses
import Foundation
import Testing

@testable import CacheTool
@testable import TangoCache

/// A guest leaves no files in the folder of an application, even if it is killed.
@Suite struct GuestTraceTests {
    private func names(in path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    @Test(arguments: [false, true]) func anOpenGuestMakesNoInstance(_ repairs: Bool) async throws {
        let folder = try await ToolFolder()
        let before = names(in: folder.place.instances)
        let guest = try DiskStore(existing: folder.scratch.url, repairs: repairs, onEvent: { _ in })
        #expect(try await guest.get("a") != nil)
        #expect(try await guest.verify(repair: repairs).isSound)
        try await guest.remove("a")
        #expect(names(in: folder.place.instances) == before)
        await guest.close()
    }

    @Test func aGuestMakesNoLockWhereThereIsNone() async throws {
        let folder = try await ToolFolder()
        try FileManager.default.removeItem(atPath: folder.place.lock)
        try FileManager.default.removeItem(atPath: folder.place.instances)
        let guest = try DiskStore(existing: folder.scratch.url, onEvent: { _ in })
        #expect(try await guest.get("a") != nil)
        #expect(try await guest.inspect().orphanedFiles == 0)
        #expect(!names(in: folder.path).contains("lock"))
        #expect(!names(in: folder.path).contains("instances"))
        await guest.close()
    }

    @Test func aGuestWritesNoBody() async throws {
        let folder = try await ToolFolder()
        let guest = try DiskStore(existing: folder.scratch.url, onEvent: { _ in })
        let error = await #expect(throws: CacheError.self) {
            try await guest.set(CacheEntry(body: Data(count: 50_000)), for: "new")
        }
        #expect(error?.code == .readOnly)
        await guest.close()
    }

    @Test func aGuestThatRepairsRemovesWhatKilledProcessesHaveLeft() async throws {
        let folder = try await ToolFolder()
        let alive = try folder.open()
        try await alive.set(CacheEntry(body: Data(count: 50_000)), for: "alive")
        let orphan = folder.place.bodies + "/0000000100000001"
        let guest = try DiskStore(existing: folder.scratch.url, repairs: true, onEvent: { _ in })
        var removed = 0
        // Each store sweeps once in the background after it was opened, and may be faster than the guest.
        for _ in 0..<4 where removed == 0 {
            try Data(count: 10).write(to: URL(filePath: orphan))
            removed = try await guest.verify(repair: true).orphanedFiles
            #expect(!FileManager.default.fileExists(atPath: orphan))
        }
        #expect(removed == 1)
        #expect(try await alive.get("alive")?.body.count == 50_000)
        await guest.close()
        await alive.close()
    }

    /// An instance that this user cannot open, for example one of a killed process of root.
    @Test(arguments: [false, true]) func anInstanceThatCannotBeOpenedCountsAsAlive(_ isFolder: Bool) async throws {
        let folder = try await ToolFolder()
        let instance = folder.place.instances + "/00000abc"
        let body = folder.place.bodies + "/00000abc00000000"
        try Data(count: 10).write(to: URL(filePath: body))
        try FileManager.default.createDirectory(atPath: folder.place.instances, withIntermediateDirectories: true)
        if isFolder {
            try FileManager.default.createDirectory(atPath: instance, withIntermediateDirectories: false)
        } else {
            try Data().write(to: URL(filePath: instance))
            chmod(instance, 0)
        }
        if !isFolder, getuid() == 0 {
            // Permissions do not apply to root, so another user opens the store.
            for path in [folder.path] + names(inTree: folder.path) where path != instance {
                chown(path, 65_534, 65_534)
            }
            let told = try await offThread { [path = folder.path] in
                try ChildProcess(["steps", path, "user:65534", "open", "maintain", "verify"]).lines()
            }
            #expect(told == ["open done", "maintain done", "verify sound"])
        } else {
            let store = try folder.open()
            try await store.maintain()
            #expect(try await store.verify(repair: true).isSound)
            await store.close()
        }
        #expect(FileManager.default.fileExists(atPath: body))
        #expect(FileManager.default.fileExists(atPath: instance))
    }

    private func names(inTree path: String) -> [String] {
        (FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []).map { path + "/" + $0 }
    }
}
