import Foundation
import Synchronization

/// Folders for rows that need files, in one folder that is removed when the program ends.
public enum Scratch {
    private static let root = FileManager.default.temporaryDirectory
        .appendingPathComponent("tango-benchmarks-\(UUID().uuidString)", isDirectory: true).path
    private static let count = Atomic(0)

    /// Returns the path of an empty folder.
    public static func newFolder() -> String {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        let folder = "\(root)/\(number)"
        // If this fails, writing to the folder fails with an error.
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Removes all folders.
    public static func remove() {
        try? FileManager.default.removeItem(atPath: root)
    }
}
