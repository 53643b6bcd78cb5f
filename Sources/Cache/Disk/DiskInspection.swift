/// The content of the folder of a store, for tools.
package struct DiskInspection: Sendable {
    /// The number of entries, as it counts towards the limits.
    package var count = 0
    package var bytes = 0
    package var pinnedCount = 0
    package var pinnedBytes = 0

    /// The number of expired entries that have not been removed yet.
    package var expiredCount = 0

    /// The times at which the oldest and the newest entry were written.
    package var oldest: Date?
    package var newest: Date?

    /// The size of all files in the folder.
    package var bytesOnDisk = 0

    /// The size of the log of the database.
    package var logBytes = 0

    /// The number of files that hold bodies, and their size.
    package var bodyFiles = 0
    package var bodyBytes = 0

    /// The number of files that killed processes have left.
    package var orphanedFiles = 0

    /// The folders of damaged databases.
    package var setAside: [String] = []

    /// The version of the application that has filled the store, or nil if it cannot be read.
    package var applicationVersion: Int?

    /// The version of the format.
    package var formatVersion: Int?

    init(_ statistics: CacheStatistics) {
        count = statistics.count
        bytes = statistics.bytes
        pinnedCount = statistics.pinnedCount
        pinnedBytes = statistics.pinnedBytes
    }

    /// Adds the sizes of all files below a folder.
    mutating func measure(_ folder: String, on files: FileSystem) throws {
        for name in (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? [] {
            guard let status = try files.status(folder + "/" + name), status.isRegular else { continue }
            bytesOnDisk += status.size
        }
    }
}
