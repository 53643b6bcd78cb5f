import TangoCache

extension Session {
    /// Verifies a store, even one whose database cannot be opened.
    static func verify(
        _ folder: String, _ console: Console, _ opener: some ToolOpener, repair: Bool, json: Bool
    ) async throws -> ExitCode {
        let reports = Reports(console, advice: opener.advice(for: folder))
        var found = CacheVerification()
        do {
            _ = try await use(folder, console, opener, repairs: repair, reports: reports) { session in
                found = try await session.store.toolVerification(repair: repair)
                return .done
            }
        } catch let error as CacheError where error.code == .damaged {
            found.structure = [error.message]
        }
        // A database that could not be opened was replaced before the verification.
        if found.structure.isEmpty { found.structure = reports.resets }
        try print(found, folder, console, repair: repair, json: json)
        return found.isSound ? .done : .nothing
    }

    private static func print(
        _ found: CacheVerification, _ folder: String, _ console: Console, repair: Bool, json: Bool
    ) throws {
        if json {
            let damaged = found.damaged.map { damage in
                JSON.object([
                    ("key", .text(damage.key?.text)), ("keyHex", .text(damage.key?.hexadecimal)),
                    ("reason", .text(damage.reason)),
                ])
            }
            let members: [(name: String, value: JSON)] = [
                ("folder", .text(folder)), ("sound", .flag(found.isSound)), ("checked", .number(found.checked)),
                ("bytes", .number(found.bytes)), ("damaged", .list(damaged)),
                ("structure", .list(found.structure.map { .text($0) })),
                ("orphanedFiles", .number(found.orphanedFiles)), ("repair", .flag(repair)),
                ("removed", .number(found.removed)),
            ]
            return try console.print(JSON.object(members).document)
        }
        for problem in found.structure { try console.print("the store: \(problem)") }
        for damage in found.damaged { try console.print("\(damage.key?.shown ?? "an entry"): \(damage.reason)") }
        let result = found.isSound ? "all sound" : "\(found.damaged.count) damaged"
        try console.print("\(Human.entries(found.checked)), \(Human.size(found.bytes)): \(result)")
        if repair, !found.isSound {
            let rest = found.structure.isEmpty ? "" : ", and the store is in order again"
            try console.print("\(Human.entries(found.removed)) removed\(rest)")
        }
        if found.orphanedFiles > 0 {
            let files = Human.count(found.orphanedFiles, "file", "files")
            try console.print("\(files) of processes that ended early\(repair ? ", removed" : "")")
        }
    }
}
