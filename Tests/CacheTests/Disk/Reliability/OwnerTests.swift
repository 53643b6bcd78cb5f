import Foundation
import TangoCache
import Testing

/// Folders that belong to another user, who could read and replace the entries.
@Suite struct OwnerTests {
    private let folder = ScratchFolder()

    init() throws {
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    }

    private func open(_ engine: DiskStore.Engine) throws -> DiskStore {
        try DiskStore(directory: folder.url, engine: engine, onEvent: { _ in })
    }

    @Test(arguments: DiskStoreTests.engines) func aFolderOfAnotherUserIsRefused(_ engine: DiskStore.Engine) throws {
        guard getuid() == 0 else { return }
        chown(folder.path, 65_534, 65_534)
        let error = #expect(throws: CacheError.self) { _ = try open(engine) }
        #expect(error?.code == .readOnly)
        #expect(error?.message == "Another user owns the folder \(folder.path). Choose a folder of yours.")
        #expect(folder.files.isEmpty)
    }

    @Test(arguments: DiskStoreTests.engines) func aLinkOfAnotherUserIsRefused(_ engine: DiskStore.Engine) throws {
        guard getuid() == 0 else { return }
        let target = folder.path + "-target"
        try FileManager.default.moveItem(atPath: folder.path, toPath: target)
        defer { try? FileManager.default.removeItem(atPath: target) }
        try FileManager.default.createSymbolicLink(atPath: folder.path, withDestinationPath: target)
        lchown(folder.path, 65_534, 65_534)
        #expect(throws: CacheError.self) { _ = try open(engine) }
    }

    @Test(arguments: DiskStoreTests.engines)
    func aFolderOfThisUserAndALinkToItAreAccepted(_ engine: DiskStore.Engine) async throws {
        await (try open(engine)).close()
        let target = folder.path + "-target"
        try FileManager.default.moveItem(atPath: folder.path, toPath: target)
        defer { try? FileManager.default.removeItem(atPath: target) }
        try FileManager.default.createSymbolicLink(atPath: folder.path, withDestinationPath: target)
        await (try open(engine)).close()
    }
}
