import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Session {
    /// Removes the selected entries, or prints them with `--dry-run`.
    func purge(_ purge: Purge, json: Bool) async throws -> ExitCode {
        let (items, count) = try await carryOut(purge)
        if json {
            try print([
                ("dryRun", .flag(purge.isDryRun)), ("removed", .number(purge.isDryRun ? 0 : count)),
                ("matched", .number(items.count)), ("bytes", .number(items.bytes)),
            ])
        } else if count == 0 {
            console.complain("nothing matches.")
        } else if purge.isDryRun {
            try print(items)
            try console.print("\nWould remove \(Human.entries(count)), \(Human.size(items.bytes)).")
        } else {
            try console.print("Removed \(Human.entries(count)), \(Human.size(items.bytes)).")
        }
        return count == 0 ? .nothing : .done
    }

    /// Removes the selected entries. Returns them, and the number of removed ones.
    private func carryOut(_ purge: Purge) async throws -> (items: [CacheItem], count: Int) {
        let now = console.now()
        switch purge.choice {
        case .all: return try await remove(.all, purge.isDryRun)
        case .expired: return try await remove(.expired(now), purge.isDryRun)
        case .prefix(let prefix): return try await remove(.prefixed(prefix), purge.isDryRun)
        case .tag(let tag): return try await remove(.tagged(tag), purge.isDryRun)
        case .olderThan(let seconds):
            return try await remove(.olderThan(now.addingTimeInterval(-seconds)), purge.isDryRun)
        case .keys(let keys): return try await remove(keys, purge.isDryRun)
        }
    }

    private func remove(_ selection: ToolSelection, _ isDryRun: Bool) async throws -> ([CacheItem], Int) {
        let items = try await items { selection.contains($0) }
        return (items, isDryRun ? items.count : try await store.removeEntries(in: selection))
    }

    /// Removes entries by key. Each is looked up directly, without a listing.
    private func remove(_ keys: [CacheKey], _ isDryRun: Bool) async throws -> ([CacheItem], Int) {
        var known: Set<CacheKey> = []
        let keys = keys.filter { known.insert($0).inserted }
        let items = try await store.items(for: keys)
        let count = isDryRun ? items.count : try await store.removeEntries(for: keys)
        if count < keys.count {
            let found = Set(items.map(\.key))
            for key in keys where !found.contains(key) { console.complain("there is no entry under \(key.shown).") }
        }
        return (items, count)
    }
}
