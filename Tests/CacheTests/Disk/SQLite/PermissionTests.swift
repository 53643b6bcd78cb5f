import Foundation
import Testing

@testable import TangoCache

/// Only its owner can read the database, whatever the mode of the folder.
@Suite struct PermissionTests {
    private let folder = ScratchFolder()
    private var place: Place { Place(folder: folder.path) }

    private func open() throws -> DiskStore {
        try DiskStore(directory: folder.url, onEvent: { _ in })
    }

    private func expectPrivate(sourceLocation: SourceLocation = #_sourceLocation) throws {
        for path in [place.database, place.database + "-wal", place.database + "-shm"] {
            let mode = try #require(
                FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int,
                sourceLocation: sourceLocation)
            #expect(mode == 0o600, "\(path)", sourceLocation: sourceLocation)
        }
    }

    @Test func inAnOpenFolderTheDatabaseIsClosedToOthers() async throws {
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        chmod(folder.path, 0o755)
        let store = try open()
        try await store.set(CacheEntry(body: Data([1])), for: "a")
        try expectPrivate()
        await store.close()
    }

    @Test func anOpenDatabaseIsClosedToOthersWhenItIsOpened() async throws {
        let first = try open()
        try await first.set(CacheEntry(body: Data([1])), for: "a")
        await first.close()
        for path in [place.database, place.database + "-wal", place.database + "-shm"] { chmod(path, 0o644) }
        let store = try open()
        try expectPrivate()
        #expect(try await store.get("a")?.body == Data([1]))
        await store.close()
    }

    @Test func aDatabaseThatIsReplacedIsClosedToOthers() async throws {
        let store = try open()
        try await store.set(CacheEntry(body: Data([1])), for: "a")
        try FileManager.default.removeItem(atPath: place.index)
        try await store.set(CacheEntry(body: Data([1])), for: "a")
        try expectPrivate()
        await store.close()
    }

    /// For example, a tool that root runs repairs the store of a user.
    @Test func filesThatRootReplacesBelongToTheOwnerOfTheFolder() async throws {
        guard getuid() == 0 else { return }
        await (try open()).close()
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        for path in [folder.path] + names.map({ folder.path + "/" + $0 }) { chown(path, 65_534, 65_534) }
        let file = try FileHandle(forUpdating: URL(filePath: place.database))
        try file.write(contentsOf: Data(repeating: 0xa5, count: 4_096))
        try file.close()
        let guest = try DiskStore(existing: folder.url, repairs: true, onEvent: { _ in })
        _ = try await guest.verify(repair: true)
        await guest.close()
        for path in [place.index, place.database] {
            var status = stat()
            #expect(lstat(path, &status) == 0)
            #expect(status.st_uid == 65_534, "\(path)")
        }
    }

    @Test func aDatabaseThatCannotBeOpenedIsNotCalledReadOnly() throws {
        let cases: [(CInt, CacheError.Code, String)] = [
            (EMFILE, .system, "Close some files"), (ENFILE, .system, "Close some files"),
            (ENOENT, .system, "No such file"), (0, .system, "Check the volume"), (EACCES, .readOnly, "may write"),
            (EROFS, .readOnly, "may write"), (EPERM, .readOnly, "may write"),
        ]
        for (number, code, text) in cases {
            var failure = SQLiteFailure(code: 14, message: "unable to open database file")
            failure.system = number
            let error = CacheError(failure, at: "/folder")
            #expect(error.code == code, "\(number)")
            #expect(error.message.contains(text), "\(error.message)")
        }
    }

    /// SQLITE_IOERR_DELETE_NOENT: another process was faster.
    @Test func aFileThatAnotherProcessHasDeletedIsNoProblemOfTheVolume() {
        let error = CacheError(SQLiteFailure(code: 5898, message: "disk I/O error"), at: "/folder")
        #expect(error.code == .busy)
        #expect(error.message.contains("Try again"))
    }

    @Test func theErrorNumberOfTheSystemIsReported() throws {
        let error = #expect(throws: SQLiteFailure.self) {
            try Database(folder.path + "/missing/entries.sqlite", .reader, timeout: 0)
        }
        #expect(error?.system == ENOENT)
        #expect(error?.isReadOnly == false)
    }
}
