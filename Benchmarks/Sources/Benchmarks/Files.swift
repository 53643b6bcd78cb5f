import Foundation
import Harness

/// The files of this package that the program reads and writes.
enum Files {
    static var package: URL {
        var directory = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { directory.deleteLastPathComponent() }
        return directory
    }

    private static var historyFolder: URL { package.appendingPathComponent("History", isDirectory: true) }

    /// The stored ratios of all versions, oldest first.
    static func history() throws -> [StoredRatios] {
        try FileManager.default.contentsOfDirectory(at: historyFolder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "tsv" }
            .map { file in
                try StoredRatios(
                    version: file.deletingPathExtension().lastPathComponent,
                    text: String(decoding: Data(contentsOf: file), as: UTF8.self))
            }
            .inOrder
    }

    static func store(_ ratios: StoredRatios) throws {
        try FileManager.default.createDirectory(at: historyFolder, withIntermediateDirectories: true)
        try Data(ratios.text.utf8).write(to: historyFolder.appendingPathComponent("\(ratios.version).tsv"))
    }

    /// Writes the report, in place of the last one.
    static func write(_ report: ReportFiles) throws {
        let folder = package.appendingPathComponent("Report", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, content) in report.contents {
            try Data(content.utf8).write(to: folder.appendingPathComponent(name))
        }
    }
}
