import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Session {
    /// Removes what was chosen, or tells what that would be.
    func purge(_ purge: Purge, json: Bool) async throws -> ExitCode {
        let selection = purge.choice.selection(at: console.now())
        let items = try await items { selection.contains($0) }
        let count = purge.isDryRun ? items.count : try await store.remove(selection)
        if case .keys(let keys) = purge.choice {
            let found = Set(items.map(\.key))
            for key in keys where !found.contains(key) { console.complain("there is no entry under \(key.shown).") }
        }
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
}

extension Purge.Choice {
    func selection(at now: Date) -> Selection {
        switch self {
        case .all: .all
        case .expired: .expired(now)
        case .prefix(let prefix): .prefixed(prefix)
        case .tag(let tag): .tagged(tag)
        case .olderThan(let seconds): .olderThan(now.addingTimeInterval(-seconds))
        case .keys(let keys): .keys(Set(keys))
        }
    }
}
