extension DiskStore {
    /// Opens the store of an application to inspect it, whatever its version, without limits that would evict entries.
    ///
    /// Opening and reading create nothing, set nothing aside and remove nothing.
    ///
    /// - Parameter repairs: Allows removing damaged data.
    package convenience init(
        existing directory: URL, repairs: Bool = false, onEvent: @escaping @Sendable (CacheEvent) -> Void
    ) throws {
        try Self.find(directory.absoluteURL.path)
        try self.init(
            directory: directory, limits: .unlimited, role: .guest(repairs: repairs), onEvent: onEvent, now: nil)
    }

    /// Throws if a folder has no store.
    private static func find(_ folder: String) throws {
        let files = FileSystem()
        let place = Place(folder: folder)
        if try files.status(place.database) != nil { return }
        if try files.status(folder) == nil {
            throw CacheError(.invalid, "There is no folder \(folder). Check the path.")
        }
        let setAside = try place.setAsides(files)
        let remark = setAside.isEmpty ? "" : " A damaged one was set aside, in \(setAside.joined(separator: ", "))."
        throw CacheError(
            .invalid,
            "There is no store in \(folder): it has no index/entries.sqlite. Check the path.\(remark)")
    }

    /// Returns all entries, including expired ones.
    package func everything() -> CacheEntries {
        CacheEntries { [self] in try await disk.everything().first() }
    }

    /// Returns the entries under keys without their bodies, including expired ones.
    package nonisolated(nonsending) func items(for keys: [CacheKey]) async throws -> [CacheItem] {
        let disk = try disk
        return try await IO.run { try keys.compactMap { key in try disk.item(key) } }
    }

    /// Removes the entries under keys and returns their number.
    package nonisolated(nonsending) func removeEntries(for keys: [CacheKey]) async throws -> Int {
        try await disk.remove(keys)
    }

    /// Removes the entries of a selection and returns their number.
    package nonisolated(nonsending) func remove(_ selection: Selection) async throws -> Int {
        try await disk.removeAll(selection) { _ in }
    }

    /// Returns the content of the folder.
    package nonisolated(nonsending) func inspect() async throws -> DiskInspection {
        try await disk.inspect()
    }
}
