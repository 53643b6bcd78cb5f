extension FileEngine {
    func item(_ key: CacheKey) throws -> CacheItem? {
        let place = folder.place(of: key)
        guard let (item, _) = try whole(EntryFile.item(place.path, on: files), key, place), item.key == key else {
            return nil
        }
        return item
    }

    nonisolated(nonsending) func inspect() async throws -> DiskInspection {
        try await IO.run { [self] in
            let all = try folder.scan()
            var inspection = DiskInspection(DiskFill(all))
            let expired = Selection.expired(clock.now)
            for found in all {
                inspection.bodyFiles += 1
                inspection.bodyBytes += found.status.size
                // Damaged files are skipped: their time of writing is unknown.
                guard case .found(let item, _) = try EntryFile.item(found.place.path, on: files) else { continue }
                inspection.oldest = min(inspection.oldest ?? item.written, item.written)
                inspection.newest = max(inspection.newest ?? item.written, item.written)
                if expired.contains(item) { inspection.expiredCount += 1 }
            }
            try inspection.measure(folder.path, on: files)
            inspection.orphanedFiles = try folder.temporaries(where: isOrphan).count
            inspection.applicationVersion = try VersionFile(folder: folder).read().number.flatMap(Int.init(exactly:))
            inspection.formatVersion = Int(EntryFile.Header.version)
            return inspection
        }
    }
}
