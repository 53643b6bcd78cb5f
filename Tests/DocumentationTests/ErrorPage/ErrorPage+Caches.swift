#if os(Linux)
    import Foundation

    @testable import TangoCache
    @testable import TestSupport

    /// Errors of stores.
    extension ErrorPage {
        mutating func addCaches() async {
            await stores()
            await folders()
            await writers()
            await system()
            missingLibrary()
        }

        private mutating func stores() async {
            let entry = CacheEntry(body: Data(count: 1000))
            func set(_ limits: CacheLimits, _ entries: CacheEntry...) async throws -> Any {
                let folder = TemporaryFolder()
                let store = try DiskStore(directory: folder.url, limits: limits)
                for (number, entry) in entries.enumerated() {
                    try await store.set(entry, for: CacheKey("user \(number)"))
                }
                return store
            }
            await add("An entry above the limit of a disk store.") {
                try await set(CacheLimits(bytes: 100), CacheEntry(body: Data(count: 100_000)))
            }
            await add("A limit of 0 entries.") { try await set(CacheLimits(count: 0), entry) }
            await add("Pinned entries fill a disk store.") {
                try await set(
                    CacheLimits(bytes: 20_000), CacheEntry(body: Data(count: 9000), pinned: true),
                    CacheEntry(body: Data(count: 9000), pinned: true),
                    CacheEntry(body: Data(count: 9000), pinned: true))
            }
            await add("An entry whose date is not a number.") {
                try await set(.disk, CacheEntry(body: Data(), expires: Date(timeIntervalSince1970: .nan)))
            }
            await add("An entry above the limit of a memory store.") {
                try MemoryStore(limits: CacheLimits(bytes: 100)).put(entry, for: "user")
            }
            await add("Pinned entries fill a memory store.") {
                let store = MemoryStore(limits: CacheLimits(count: 1))
                try store.put(CacheEntry(body: Data(), pinned: true), for: "user 1")
                try store.put(CacheEntry(body: Data(), pinned: true), for: "user 2")
                return store
            }
            await add("A store that was closed.") {
                let folder = TemporaryFolder()
                let store = try DiskStore(directory: folder.url)
                await store.close()
                return try await store.get("user") as Any
            }
        }

        private mutating func folders() async {
            await add("A folder that is a web address.") {
                try DiskStore(directory: URL(string: "https://example.com/")!)
            }
            await add("A negative limit of bytes.") {
                try DiskStore(directory: TemporaryFolder().url, limits: CacheLimits(bytes: -1))
            }
            await add("A negative limit of entries.") {
                try DiskStore(directory: TemporaryFolder().url, limits: CacheLimits(count: -1))
            }
            await add("A negative limit of age.") {
                try DiskStore(directory: TemporaryFolder().url, limits: CacheLimits(age: .seconds(-1)))
            }
            let folder = TemporaryFolder()
            let file = folder.url.appendingPathComponent("file")
            _ = FileManager.default.createFile(atPath: file.path, contents: Data())
            await add("A path that leads through a file.") {
                try DiskStore(directory: file.appendingPathComponent("folder"))
            }
            await add("The folder for caches is a file.") { try OwnedFolder(path: file.path).make() }
            let link = folder.url.appendingPathComponent("link")
            try? FileManager.default.createSymbolicLink(
                at: link, withDestinationURL: folder.url.appendingPathComponent("missing"))
            await add("The folder for caches is a link to a folder that does not exist.") {
                try OwnedFolder(path: link.path).make()
            }
            await add("The folder for caches belongs to another user.") {
                try OwnedFolder(path: folder.url.path, user: 4_000_000).make()
            }
        }

        private mutating func writers() async {
            await add("A writer is used after its commit.") {
                let writer = try await MemoryStore().writer(for: "film", entry: CacheEntry(body: Data()))
                try await writer.commit()
                try await writer.write(Data([1]))
                return writer
            }
        }

        private mutating func system() async {
            let numbers = [
                ("no space left", ENOSPC), ("no permission", EACCES), ("a volume without write access", EROFS),
                ("too many open files", EMFILE), ("a path that is too long", ENAMETOOLONG), ("a failing volume", EIO),
            ]
            for (cause, number) in numbers {
                add("A store cannot write: \(cause).", CacheError(FileFailure(number, .write, "/caches/app/bodies/1")))
            }
            add("A file of a store cannot be read.", CacheError(FileFailure(EACCES, .open, "/caches/app/bodies/1")))
            let failures: [(String, Int32)] = [
                ("The volume of a database is full.", 13), ("Another process has locked the database.", 5),
                ("The database is damaged and cannot be set aside.", 11), ("The database cannot be written to.", 8),
                ("Another failure of SQLite.", 7),
            ]
            for (cause, code) in failures {
                let failure = SQLiteFailure(code: code, message: "…")
                add(cause, CacheError(failure, at: "/caches/app/index/entries.sqlite"))
            }
            let failure = CacheError(FileFailure(EIO, .open, "/caches/app"))
            add(
                "Entries are removed while the disk cannot be used.",
                CacheError(notRemoved: failure))
            add("A folder without permission to write.", CacheError.readOnly("/caches/app"))
        }

        private mutating func missingLibrary() {
            add("SQLite is not installed.", CacheError(sqliteProblem: "libsqlite3.so.0: not found"))
        }
    }
#endif
