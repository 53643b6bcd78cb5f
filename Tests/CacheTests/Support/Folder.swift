import Foundation

/// A folder for one test, which is removed after it.
final class ScratchFolder: Sendable {
    let url: URL

    var path: String { url.path }

    init() {
        url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "tango-\(UUID().uuidString)", isDirectory: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// The names of all files in it, at any depth, in order.
    var files: [String] {
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return names.filter { name in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: path + "/" + name, isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }
}

/// Removes a file or a folder in one step: a store that is at work in it cannot add to it meanwhile.
func removeAtOnce(_ path: String) throws {
    let removed = ScratchFolder()
    try FileManager.default.moveItem(atPath: path, toPath: removed.path)
}
