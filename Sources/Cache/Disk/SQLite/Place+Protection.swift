#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

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
