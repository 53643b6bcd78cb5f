import Foundation
import TangoCache
import Testing

/// Folders that belong to another user, who could read and replace the entries.
@Suite struct OwnerTests {
    private let folder = ScratchFolder()

    init() throws {
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    }

    private func open() throws -> DiskStore {
        try DiskStore(directory: folder.url, onEvent: { _ in })
    }

    @Test func aFolderOfAnotherUserIsRefused() throws {
        guard getuid() == 0 else { return }
        chown(folder.path, 65_534, 65_534)
        let error = #expect(throws: CacheError.self) { _ = try open() }
        #expect(error?.code == .readOnly)
        #expect(error?.message == "Another user owns the folder \(folder.path). Choose a folder of yours.")
        #expect(folder.files.isEmpty)
    }

    @Test func aLinkOfAnotherUserIsRefused() throws {
        guard getuid() == 0 else { return }
        let target = folder.path + "-target"
        try FileManager.default.moveItem(atPath: folder.path, toPath: target)
        defer { try? FileManager.default.removeItem(atPath: target) }
        try FileManager.default.createSymbolicLink(atPath: folder.path, withDestinationPath: target)
        lchown(folder.path, 65_534, 65_534)
        #expect(throws: CacheError.self) { _ = try open() }
    }

    @Test func aFolderOfThisUserAndALinkToItAreAccepted() async throws {
        await (try open()).close()
        let target = folder.path + "-target"
        try FileManager.default.moveItem(atPath: folder.path, toPath: target)
        defer { try? FileManager.default.removeItem(atPath: target) }
        try FileManager.default.createSymbolicLink(atPath: folder.path, withDestinationPath: target)
        await (try open()).close()
    }
}
