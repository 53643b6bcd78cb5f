#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Place {
    /// Sees to it that only the owner of the folder can read the database, before SQLite writes anything.
    ///
    /// SQLite makes a new database readable for everybody, and gives its log the mode of the database. So the file is made
    /// first, and one that an earlier version has made is closed to others. A process of root gives what it makes to the
    /// owner of the folder, who could not open it otherwise.
    ///
    /// Hold the lock of the folder.
    func protectDatabase(_ files: FileSystem) throws {
        // Not opened where it exists: closing it would release the locks that SQLite holds on it in this process.
        if try files.status(database) == nil { _ = try files.create(database) }
        for path in [database, database + "-wal", database + "-shm"] {
            guard let status = try files.status(path), status.isRegular, status.isOpenToOthers,
                status.owner == geteuid()
            else { continue }
            try files.protect(path)
        }
        guard geteuid() == 0, let owner = try files.status(folder) else { return }
        for path in [index, database] where try files.status(path)?.owner != owner.owner {
            try files.give(path, to: owner)
        }
    }
}
