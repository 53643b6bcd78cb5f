import Foundation
import Testing

@testable import TangoCache

/// The folder of the shared store is used only if it belongs to the user of the process.
@Suite struct ApplicationFolderTests {
    private let scratch = ScratchFolder()

    init() throws {
        try FileManager.default.createDirectory(at: scratch.url, withIntermediateDirectories: true)
    }

    private var folder: ApplicationFolder { ApplicationFolder(environment: [:], temporary: scratch.url) }

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test func itIsMadeForThisUserAlone() throws {
        let url = try folder.make()
        #expect(url.path == folder.folder)
        for path in folder.path { #expect(try mode(path) == 0o700) }
        #expect(try folder.make() == url)
    }

    @Test(arguments: 0..<3) func aFolderOfAnotherUserIsRefused(_ depth: Int) throws {
        let folder = folder
        try FileManager.default.createDirectory(atPath: folder.path[depth], withIntermediateDirectories: true)
        // The existing folders belong to this user, but the folder is for another one.
        var other = folder
        other.user = geteuid() &+ 1
        let error = #expect(throws: CacheError.self) { try other.make() }
        #expect(error?.code == .readOnly)
        #expect(error?.message.contains("Another user owns") == true)
        #expect(!other.mayHoldEntries)
        if getuid() == 0 {
            chown(folder.path[depth], 65_534, 65_534)
            #expect(throws: CacheError.self) { try folder.make() }
        }
    }

    @Test func aLinkToAFolderOfThisUserIsFollowed() throws {
        let target = scratch.path + "/elsewhere"
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: folder.path[0], withDestinationPath: target)
        #expect(throws: Never.self) { try folder.make() }
    }

    @Test func aLinkOfAnotherUserIsRefused() throws {
        guard getuid() == 0 else { return }
        let target = scratch.path + "/elsewhere"
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: folder.path[0], withDestinationPath: target)
        lchown(folder.path[0], 65_534, 65_534)
        #expect(throws: CacheError.self) { try folder.make() }
        try FileManager.default.removeItem(atPath: folder.path[0])
        try FileManager.default.createSymbolicLink(atPath: folder.path[0], withDestinationPath: target)
        chown(target, 65_534, 65_534)
        #expect(throws: CacheError.self) { try folder.make() }
    }

    @Test func aFileInItsPlaceIsRefused() throws {
        try Data([1]).write(to: URL(filePath: folder.path[0]))
        #expect(throws: CacheError.self) { try folder.make() }
        #expect(!folder.mayHoldEntries)
    }

    @Test func itMayHoldEntriesOnceAStoreWasThere() async throws {
        #expect(!folder.mayHoldEntries)
        let url = try folder.make()
        #expect(!folder.mayHoldEntries)
        await (try DiskStore(directory: url, onEvent: { _ in })).close()
        #expect(folder.mayHoldEntries)
    }
}
