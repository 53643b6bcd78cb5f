/// The engine for a folder. It depends on the requested engine and on the content of the folder.
///
/// A folder holds the entries of one engine only. Otherwise an entry that was removed through one engine could reappear
/// through the other.
struct EngineChoice: Hashable, Sendable {
    /// The engines that have been used in a folder.
    struct Found: OptionSet, Hashable, Sendable {
        let rawValue: Int

        static let sqlite = Found(rawValue: 1)
        static let files = Found(rawValue: 2)
    }

    /// The engine to open: never `automatic`.
    var engine: DiskStore.Engine

    /// The engines whose entries are discarded first.
    var discarded: Found = []

    /// The reason why an automatic choice is not SQLite.
    var fallback: String?

    /// - Parameters:
    ///   - asked: The requested engine.
    ///   - folder: The path of the folder, for messages.
    ///   - problem: The reason why SQLite cannot be used; nil if it can.
    ///   - found: The engines that have been used in the folder.
    static func choose(
        _ asked: DiskStore.Engine, for folder: String, problem: String?, found: Found
    ) throws(CacheError) -> EngineChoice {
        let problem = problem.map { "SQLite cannot be used: \($0)" }
        switch (asked, problem) {
        case (.files, _): return starting(.files, found)
        case (.sqlite, nil): return starting(.sqlite, found)
        case (.sqlite, let problem?):
            throw CacheError(.system, "\(problem). Install SQLite, or choose the engine .automatic or .files.")
        case (.automatic, nil) where found == .files:
            let fallback = "the folder has plain files; the engine .sqlite discards them and starts empty"
            return EngineChoice(engine: .files, fallback: fallback)
        case (.automatic, nil): return starting(.sqlite, found)
        case (.automatic, let problem?) where found == .sqlite:
            throw CacheError(
                .system,
                """
                \(problem), and the folder \(folder) holds a database. Install SQLite, or choose the engine .files, which \
                discards the database and starts empty.
                """)
        case (.automatic, let problem?):
            var choice = starting(.files, found)
            choice.fallback = problem
            return choice
        }
    }

    /// Returns a choice that starts empty: after two engines were used, neither is known to have the newest entries.
    private static func starting(_ engine: DiskStore.Engine, _ found: Found) -> EngineChoice {
        let own: Found = engine == .files ? .files : .sqlite
        return EngineChoice(engine: engine, discarded: found.subtracting(own).isEmpty ? [] : found)
    }
}
