#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is in the folder of a store, for those who look at it from outside.
package struct DiskInspection: Sendable {
    /// What counts towards the limits.
    package var count = 0
    package var bytes = 0
    package var pinnedCount = 0
    package var pinnedBytes = 0

    /// How many entries have expired and are not removed yet.
    package var expiredCount = 0

    /// When the first and the last of the entries were written.
    package var oldest: Date?
    package var newest: Date?

    /// The bytes of all files in the folder.
    package var bytesOnDisk = 0

    /// The bytes of the log of the database.
    package var logBytes = 0

    /// The files that hold bodies, and their bytes.
    package var bodyFiles = 0
    package var bodyBytes = 0

    /// Files that killed processes have left.
    package var orphanedFiles = 0

    /// The folders of databases that were damaged.
    package var setAside: [String] = []

    /// The version of the application that has filled the store; nil where the engine does not keep it.
    package var applicationVersion: Int?

    /// The version of the format.
    package var formatVersion: Int?

    init(_ fill: DiskFill) {
        count = fill.count
        bytes = fill.bytes
        pinnedCount = fill.pinnedCount
        pinnedBytes = fill.pinnedBytes
    }

    /// Counts the bytes of the files at any depth of a folder.
    mutating func measure(_ folder: String, on files: FileSystem) throws {
        for name in (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? [] {
            guard let status = try files.status(folder + "/" + name), status.isRegular else { continue }
            bytesOnDisk += status.size
        }
    }
}
