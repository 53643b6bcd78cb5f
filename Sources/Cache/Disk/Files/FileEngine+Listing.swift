extension FileEngine {
    /// The lowest number of entries on a page, so that small folders do not cost a change of threads each.
    private static let page = 100

    /// The number of files between two reports of progress.
    private static let step = 100

    func entries() -> CacheEntries {
        entries(includingOver: false)
    }

    func everything() -> CacheEntries {
        entries(includingOver: true)
    }

    private func entries(includingOver: Bool) -> CacheEntries {
        CacheEntries {
            try await IO.run {
                try self.page(of: self.folder.shards()[...], includingOver: includingOver)
            }
        }
    }

    nonisolated(nonsending) func removeAll(
        _ selection: Selection, progress: @escaping @Sendable (CacheProgress) -> Void
    ) async throws -> Int {
        try await IO.run {
            guard let removal = selection.removal else {
                defer { self.inboxes.tell([.all]) }
                return try self.remove(progress) { item in selection.contains(item) }
            }
            return try self.removing([removal]) {
                if case .all = selection { return try self.removeAll(progress) }
                return try self.remove(progress) { item in selection.contains(item) }
            }
        }
    }

    /// Removes the entries that have expired or are too old.
    func removeExpired() throws {
        for shard in try folder.shards() {
            for found in try folder.scan(shard) {
                guard let (item, status) = try item(found), isOver(item) else { continue }
                try room.remove(found.place, ifStill: status)
            }
        }
    }

    private func isOver(_ item: CacheItem) -> Bool {
        isOver(written: item.written, expires: item.expires, pinned: item.pinned)
    }

    private func item(_ found: EntryFolder.Found) throws -> (value: CacheItem, status: FileStatus)? {
        try whole(EntryFile.item(found.place.path, on: files), nil, found.place)
    }

    private func page(of shards: ArraySlice<Int>, includingOver: Bool) throws -> CacheEntries.Page {
        var rest = shards
        var items: [CacheItem] = []
        while items.count < Self.page, let shard = rest.popFirst() {
            for found in try folder.scan(shard) {
                guard let item = try item(found)?.value else { continue }
                if includingOver || !isOver(item) { items.append(item) }
            }
        }
        guard !rest.isEmpty else { return CacheEntries.Page(items) }
        let remaining = rest
        return CacheEntries.Page(items) {
            try await IO.run { try self.page(of: remaining, includingOver: includingOver) }
        }
    }

    private func removeAll(_ progress: (CacheProgress) -> Void) throws -> Int {
        let all = try folder.scan()
        return try remove(all, progress) { found in try room.remove(found.place) }
    }

    private func remove(_ progress: (CacheProgress) -> Void, where condition: (CacheItem) -> Bool) throws -> Int {
        let chosen = try folder.scan().compactMap { found -> EntryFolder.Found? in
            guard let (item, status) = try item(found), condition(item) else { return nil }
            return EntryFolder.Found(place: found.place, status: status)
        }
        // Only if it is still that file: a newer file may not belong to the selection.
        return try remove(chosen, progress) { found in try room.remove(found.place, ifStill: found.status) }
    }

    private func remove(
        _ chosen: [EntryFolder.Found], _ progress: (CacheProgress) -> Void, _ work: (EntryFolder.Found) throws -> Bool
    ) throws -> Int {
        var removed = 0
        for (number, found) in chosen.enumerated() {
            if try work(found) { removed += 1 }
            let done = number + 1
            if done % Self.step == 0, done < chosen.count {
                progress(CacheProgress(removed: removed, total: chosen.count))
            }
        }
        progress(CacheProgress(removed: removed, total: removed))
        return removed
    }
}
