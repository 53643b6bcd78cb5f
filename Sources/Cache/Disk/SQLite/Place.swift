#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where the parts of a store are.
struct Place: Sendable {
    let folder: String

    /// The folder of the database and its log, which are set aside together by renaming it.
    var index: String { folder + "/index" }
    var database: String { index + "/entries.sqlite" }
    var bodies: String { folder + "/bodies" }
    var temporary: String { folder + "/temporary" }
    var instances: String { folder + "/instances" }
    var lock: String { folder + "/lock" }

    /// The folder of the entries of plain files.
    var entries: String { folder + "/entries" }

    /// The version of the application that has filled the folder of plain files.
    var version: String { folder + "/version" }

    private static let aside = "damaged-"

    /// Renames the folder of the database, removes what was set aside before, and returns the new name.
    ///
    /// Nobody else may be opening the store: hold the lock of the folder.
    func setAside(_ files: FileSystem) throws -> String {
        let former = try setAsides(files)
        let aside = folder + "/" + Self.aside + UInt64.random(in: 0 ... .max).name
        _ = try files.rename(index, to: aside)
        // One that cannot be removed now is removed the next time.
        for folder in former { try? FileManager.default.removeItem(atPath: folder) }
        return aside
    }

    /// What was set aside and is still there: the last one only.
    func setAsides(_ files: FileSystem) throws -> [String] {
        (try files.list(folder) ?? []).filter { $0.hasPrefix(Self.aside) }.map { folder + "/" + $0 }
    }
}
