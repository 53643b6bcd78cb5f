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

    /// Removes the folders that were set aside.
    func removeSetAsides(_ files: FileSystem) throws {
        for folder in try setAsides(files) { try FileManager.default.removeItem(atPath: folder) }
    }

    /// Returns the folders that were set aside and still exist. Usually that is only the last one.
    func setAsides(_ files: FileSystem) throws -> [String] {
        (try files.list(folder) ?? []).filter { $0.hasPrefix(Self.aside) }.map { folder + "/" + $0 }
    }
}
