/// The content of the folder of a store, for tools.
package struct DiskInspection: Sendable {
    package var statistics: CacheStatistics

    /// The number of expired entries that have not been removed yet.
    package var expiredCount = 0

    /// The times at which the oldest and the newest entry were written.
    package var oldest: Date?
    package var newest: Date?

    /// The size of all files in the folder.
    package var bytesOnDisk = 0
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
    package var formatVersion: Int?

    /// Adds the sizes of all files below a folder.
    mutating func measure(_ folder: String, on files: FileSystem) throws {
        for name in (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? [] {
            guard let status = try files.status(folder + "/" + name), status.isRegular else { continue }
            bytesOnDisk += status.size
        }
    }
}
