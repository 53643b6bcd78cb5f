extension Place {
    private static let discarded = "discarded-"

    /// Returns the engines that have been used in the folder.
    func enginesFound(_ files: FileSystem) throws -> EngineChoice.Found {
        var found: EngineChoice.Found = []
        if try files.status(database) != nil { found.insert(.sqlite) }
        if try files.status(entries) != nil { found.insert(.files) }
        return found
    }

    /// Renames the files of engines, so that no store opens them again.
    func discard(_ engines: EngineChoice.Found, _ files: FileSystem) throws {
        var paths: [String] = []
        if engines.contains(.sqlite) { paths += [index, bodies, instances] }
        if engines.contains(.files) { paths += [entries, version] }
        for path in paths {
            _ = try files.rename(path, to: folder + "/" + Self.discarded + UInt64.random(in: 0 ... .max).name)
        }
    }

    /// Removes discarded files in the background. After a kill, the next opening continues.
    func removeDiscarded(_ files: FileSystem, _ report: @escaping @Sendable (CacheEvent) -> Void) throws {
        let paths = try (files.list(folder) ?? []).filter { $0.hasPrefix(Self.discarded) }.map { folder + "/" + $0 }
        guard !paths.isEmpty else { return }
        IO.submit {
            for path in paths {
                do {
                    try FileManager.default.removeItem(atPath: path)
                } catch {
                    // Another store may have removed it.
                    guard FileManager.default.fileExists(atPath: path) else { continue }
                    report(.failed(CacheError(.system, "Removing \(path) failed: \(error)", underlying: error)))
                }
            }
        }
    }
}
