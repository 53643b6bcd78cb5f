#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DiskStore {
    /// Opens the store of an application, to look at it: whatever its version, and with no limits that would evict
    /// anything.
    ///
    /// Nothing is created where there is no store, and nothing is set aside, emptied or removed by opening and reading.
    ///
    /// - Parameter repairs: Whether what is damaged may be removed after all.
    package convenience init(
        existing directory: URL, repairs: Bool = false, onEvent: @escaping @Sendable (CacheEvent) -> Void
    ) throws {
        let engine = try Self.engine(of: directory.absoluteURL.path)
        try self.init(
            directory: directory, limits: .unlimited, engine: engine, role: .guest(repairs: repairs), onEvent: onEvent,
            now: nil)
    }

    /// The engine whose files are in a folder.
    private static func engine(of folder: String) throws -> Engine {
        let files = FileSystem()
        let place = Place(folder: folder)
        if try files.status(place.database) != nil { return .sqlite }
        if try files.list(folder + "/entries") != nil { return .files }
        if try files.status(folder) == nil { throw CacheError(.invalid, "There is no folder \(folder).") }
        let setAside = try place.setAsides(files)
        let remark = setAside.isEmpty ? "" : " A damaged one was set aside, in \(setAside.joined(separator: ", "))."
        throw CacheError(
            .invalid,
            "There is no store in \(folder): it has neither index/entries.sqlite nor the folder entries.\(remark)")
    }

    /// All entries, also those that nobody gets any more because their time is over.
    package func everything() -> CacheEntries {
        CacheEntries { [self] in try await disk.everything().first() }
    }

    /// The entries under keys without their bodies, also those that have expired.
    package nonisolated(nonsending) func items(for keys: [CacheKey]) async throws -> [CacheItem] {
        let disk = try disk
        return try await IO.run { try keys.compactMap { key in try disk.item(key) } }
    }

    /// Removes the entries under keys, and returns how many there were.
    package nonisolated(nonsending) func removeEntries(for keys: [CacheKey]) async throws -> Int {
        try await disk.remove(keys)
    }

    /// Removes the entries of a selection, and returns how many there were.
    package nonisolated(nonsending) func remove(_ selection: Selection) async throws -> Int {
        try await disk.removeAll(selection) { _ in }
    }

    /// What the folder holds.
    package nonisolated(nonsending) func inspect() async throws -> DiskInspection {
        try await disk.inspect()
    }
}
