import TangoCache

extension Session {
    /// Prints the sizes of the store and its folder.
    func stats(json: Bool) async throws -> ExitCode {
        let found = try await store.inspect()
        let engine = store.engine == .files ? "files" : "sqlite"
        if json {
            try print([
                ("engine", .text(engine)),
                ("entries", .number(found.count)),
                ("bytes", .number(found.bytes)),
                ("pinnedEntries", .number(found.pinnedCount)),
                ("pinnedBytes", .number(found.pinnedBytes)),
                ("expiredEntries", .number(found.expiredCount)),
                ("oldest", .text(found.oldest.flatMap(Human.date))),
                ("newest", .text(found.newest.flatMap(Human.date))),
                ("bytesOnDisk", .number(found.bytesOnDisk)),
                ("logBytes", .number(found.logBytes)),
                ("bodyFiles", .number(found.bodyFiles)),
                ("bodyBytes", .number(found.bodyBytes)),
                ("orphanedFiles", .number(found.orphanedFiles)),
                ("setAside", .list(found.setAside.map { .text($0) })),
                ("applicationVersion", .number(found.applicationVersion)),
                ("formatVersion", .number(found.formatVersion)),
            ])
        } else {
            try console.print(Table.facts(facts(found, engine)))
        }
        return .done
    }

    private func facts(_ found: DiskInspection, _ engine: String) -> [(name: String, value: String)] {
        let now = console.now()
        var facts = [
            ("engine", engine == "sqlite" ? "SQLite" : "plain files"),
            ("entries", "\(found.count), \(found.pinnedCount) of them pinned, \(found.expiredCount) expired"),
            ("counted", "\(Human.size(found.bytes)), \(Human.size(found.pinnedBytes)) of it pinned"),
            ("oldest", found.oldest.map { Human.age($0, at: now) } ?? "none"),
            ("newest", found.newest.map { Human.age($0, at: now) } ?? "none"),
            ("on disk", Human.size(found.bytesOnDisk)),
        ]
        if store.engine == .sqlite {
            facts += [
                ("log", Human.size(found.logBytes)),
                ("files of bodies", "\(found.bodyFiles), \(Human.size(found.bodyBytes))"),
                ("orphaned files", "\(found.orphanedFiles)"),
                ("set aside", found.setAside.isEmpty ? "nothing" : found.setAside.joined(separator: ", ")),
            ]
        }
        if let version = found.applicationVersion { facts.append(("application version", "\(version)")) }
        if let version = found.formatVersion { facts.append(("format version", "\(version)")) }
        return facts
    }
}
