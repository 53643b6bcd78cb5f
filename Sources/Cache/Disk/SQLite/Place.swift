import TangoPlatform

/// The paths of the parts of a store.
struct Place: Sendable {
    let folder: String

    /// The folder of the database and its log. Renaming it sets both aside.
    var index: String { folder + "/index" }
    var database: String { index + "/entries.sqlite" }
    var bodies: String { folder + "/bodies" }
    var temporary: String { folder + "/temporary" }
    var instances: String { folder + "/instances" }
    var lock: String { folder + "/lock" }

    private static let aside = "damaged-"

    /// Renames the folder of the database, removes those that were set aside before, and returns the new name.
    ///
    /// The caller holds the lock of the folder, so that no other process opens the store.
    func setAside(_ files: FileSystem) throws -> String {
        let former = try setAsides(files)
        let aside = folder + "/" + Self.aside + UInt64.random(in: 0 ... .max).hexadecimal(16)
        _ = try files.rename(index, to: aside)
        // A folder that cannot be removed now is removed the next time.
        for folder in former { try? FileManager.default.removeItem(atPath: folder) }
        return aside
    }

    func removeSetAsides(_ files: FileSystem) throws {
        for folder in try setAsides(files) { try FileManager.default.removeItem(atPath: folder) }
    }

    /// Returns the folders that were set aside and still exist. Usually that is only the last one.
    func setAsides(_ files: FileSystem) throws -> [String] {
        (try files.list(folder) ?? []).filter { $0.hasPrefix(Self.aside) }.map { folder + "/" + $0 }
    }
}

extension Place {
    /// Makes the database readable only for the owner of the folder, before SQLite writes to it.
    ///
    /// SQLite creates a database that all users can read, and gives its log the same mode. So the file is created here,
    /// and the mode of an existing file is corrected. A process of root gives its files to the owner of the folder, who
    /// could not open them otherwise.
    ///
    /// The caller holds the lock of the folder.
    func protectDatabase(_ files: FileSystem) throws {
        // An existing file is not opened: closing it would release the locks that SQLite holds on it in this process.
        if try files.status(database) == nil { _ = try files.create(database) }
        for path in [database, database + "-wal", database + "-shm"] {
            guard let status = try files.status(path), status.isRegular, status.isOpenToOthers, status.isOwn
            else { continue }
            try files.protect(path)
        }
        guard geteuid() == 0, let owner = try files.status(folder) else { return }
        for path in [index, database] where try files.status(path)?.owner != owner.owner {
            try files.give(path, to: owner)
        }
    }
}
