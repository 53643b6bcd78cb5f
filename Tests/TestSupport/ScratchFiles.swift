import Foundation

/// A folder with files for one test. The folder is removed when this object is released.
final class ScratchFiles: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("tango-files-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String, _ content: Data) throws -> URL {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let file = url.appendingPathComponent(name)
        try content.write(to: file)
        return file
    }

    /// Creates a file of a length that occupies no space on the disk.
    func sparse(_ name: String, _ length: Int64) throws -> URL {
        let file = try file(name, Data())
        try setLength(file, UInt64(length))
        return file
    }

    func setLength(_ file: URL, _ length: UInt64) throws {
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: length)
        try handle.close()
    }

    init() {
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }
}
