import Foundation
import Synchronization

/// Folders for rows that need files, all of them in one, which goes when the program ends.
public enum Scratch {
    private static let root = FileManager.default.temporaryDirectory
        .appendingPathComponent("tango-benchmarks-\(UUID().uuidString)", isDirectory: true).path
    private static let count = Atomic(0)

    /// The path of an empty folder.
    public static func newFolder() -> String {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        let folder = "\(root)/\(number)"
        // Whoever writes to it says what is wrong.
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Removes all of them.
    public static func remove() {
        try? FileManager.default.removeItem(atPath: root)
    }
}
